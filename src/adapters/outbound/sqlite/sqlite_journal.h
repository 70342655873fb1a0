#pragma once

// The journal in one SQLite file (WAL, synchronous=FULL): docs/formats/journal.md.  One transaction
// per Append, so a batch costs one sync.  The file is held exclusively while it is open.  Beside it
// stands a high-water mark, so that a journal which lost its tail (an old copy put back, say) is
// known as such.

#include <memory>
#include <string>

#include "ports/outbound/journal.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gp {

class SqliteJournal : public Journal {
 public:
  // Opens or creates.  Errors: kUnavailable (another process holds it), kInternal (not a journal).
  static Result<std::unique_ptr<SqliteJournal>> Open(const std::string& path);
  ~SqliteJournal() override;

  // What was there and is not, in words; empty: nothing.  Every Open says it again until AcceptLoss.
  const std::string& loss() const { return loss_; }
  // Gives up everything from the first damaged record on, after a copy of the whole file was made
  // beside it.  The number of the last record kept; all of them where nothing is damaged.
  Result<uint64_t> KeepSoundPrefix();

  void AcceptLoss();

  Status Append(std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return last_sequence_; }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override;

 private:
  SqliteJournal(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}
  Status Prepare();
  Status LoadTail();
  void CompareMark();
  void WriteMark();
  Error Failed(const std::string& what) const;
  Status Run(const char* sql);
  Status Step(sqlite3_stmt* statement);

  sqlite3* database_;
  const std::string path_;
  std::string loss_;
  uint64_t marked_ = 0;  // the last record that the mark tells of
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
  uint64_t last_sequence_ = 0;
  uint64_t chain_ = 0;  // digest of the last record and all before it
};

}  // namespace gp
