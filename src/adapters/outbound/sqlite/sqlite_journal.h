#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/outbound/sqlite/high_water_mark.h"
#include "ports/outbound/journal.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gp {

// The journal in one SQLite file (WAL, synchronous=FULL): docs/formats/journal.md.  Each Append is
// one transaction, so a batch costs one sync.  The file is locked exclusively while it is open.  A
// high-water mark beside it reveals a journal that lost its tail (an old copy restored, a damaged
// log).  One thread at a time.
class SqliteJournal : public Journal {
 public:
  // Opens or creates it.  Errors: kUnavailable (another process holds it), kInternal (not a
  // journal, too damaged to open, or the disk fails); all name the file.
  // A log that reaches `log_pages` pages is written into the database and restarted.
  static Result<std::unique_ptr<SqliteJournal>> Open(const std::string& path,
                                                     int64_t log_pages = 4'000);
  ~SqliteJournal() override;

  // A description of lost records; empty: none.  Every Open reports the loss again until
  // AcceptLoss.
  const std::string& loss() const { return loss_; }
  Status AcceptLoss();
  // Drops everything from the first damaged record on, after the files were copied beside
  // themselves.  Returns the number of the last record that is left; without damage nothing is
  // dropped.
  Result<uint64_t> KeepSoundPrefix();
  // Continues after a snapshot that was made elsewhere; the records in between stay missing.
  // kConflict: the snapshot's last record is here.
  Status GoOnAfter(const Snapshot& snapshot);

  Appended Append(uint64_t epoch, uint64_t expected, std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return last_sequence_; }
  uint64_t LastChain() const override { return chain_; }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override;
  Result<uint64_t> BaseNumber() override;
  Result<Snapshot> Base() override;
  Result<std::vector<uint64_t>> Snapshots() override;
  Status BeginWith(uint64_t snapshot) override;
  Status DropSnapshots(std::span<const uint64_t> snapshots) override;
  Result<bool> Sweep() override;

 private:
  SqliteJournal(sqlite3* database, std::string path)
      : database_(database), path_(std::move(path)), mark_(path_ + ".mark") {}
  Status Prepare(int64_t log_pages);
  Status CheckOrCreate();
  Status LoadTail();
  void CompareMark();
  Status Write(std::span<const std::string> records);
  Status InsertAll(std::span<const std::string> records, uint64_t& sequence, uint64_t& chain);
  Status InsertSnapshot(const Snapshot& snapshot, uint64_t chain);
  Result<std::optional<uint64_t>> ChainAt(uint64_t sequence);
  Status CheckEnd(uint64_t sequence, std::optional<uint64_t> chain);
  Status InOneTransaction(const char* what, const std::function<Status()>& change);

  // sqlite_begin.cc
  Status WriteBase(sqlite3* database, uint64_t sequence);
  Result<bool> HasWholeSnapshot(uint64_t sequence);
  Result<uint64_t> FirstSnapshotBefore(uint64_t base);
  Result<uint64_t> LastToSweep(uint64_t base);
  Status Delete(const char* sql, uint64_t sequence);

  // sqlite_salvage.cc
  // Whether all records after this one can be read.  `sound`: the last one before any damage.
  bool IsSoundAfter(uint64_t after, uint64_t& sound);
  Result<uint64_t> GiveUpAfter(uint64_t sound, const Snapshot& base, const Snapshot& snapshot);
  Status CopyAside();
  Result<uint64_t> MendBeginning(const Snapshot& snapshot);
  Status Rebuild(const Snapshot& base, const Snapshot& snapshot, uint64_t sound);
  Status CopyRecords(sqlite3* kept, uint64_t after, uint64_t sound);
  Status CopySnapshot(sqlite3* kept, const Snapshot& snapshot);

  Error Failed(const std::string& what) const;
  Error Damaged(uint64_t sequence, const std::string& how) const;
  Status Run(const char* sql, const char* what);
  Status Step(sqlite3_stmt* statement);

  sqlite3* database_;
  const std::string path_;
  HighWaterMark mark_;
  AppendFence fence_;
  std::string loss_;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  uint64_t last_sequence_ = 0;  // of a record or a snapshot
  uint64_t last_record_ = 0;    // 0: there is none
  uint64_t chain_ = 0;          // digest of the last record and all before it
};

}  // namespace gp
