#pragma once

// The journal in one SQLite file (WAL, synchronous=FULL): docs/formats/journal.md.  One transaction
// per Append, so a batch costs one sync.  The file is held exclusively while it is open.

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

  Status Append(std::span<const std::string> records) override;
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override;
  uint64_t LastSequence() const override { return last_sequence_; }
  Status SaveSnapshot(const Snapshot& snapshot) override;
  Result<Snapshot> LatestSnapshot() override;

 private:
  explicit SqliteJournal(sqlite3* database) : database_(database) {}
  Status Prepare();
  Status LoadTail();
  Error Failed(const std::string& what) const;
  Status Run(const char* sql);

  sqlite3* database_;
  sqlite3_stmt* insert_ = nullptr;
  uint64_t last_sequence_ = 0;
  uint64_t chain_ = 0;  // digest of the last record and all before it
};

}  // namespace gp
