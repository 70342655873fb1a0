// What SQLite does with its log that a controller seldom makes it do: pages written before their
// transaction ends, rolled back, written over.  What was committed outlives the power that fails
// right afterwards.

#include <sqlite3.h>

#include "adapters/outbound/sqlite/log_vfs.h"
#include "adapters/outbound/sqlite/sqlite_statement.h"
#include "tests/crash/crash_case.h"

namespace gp {
namespace {

class Log : public CrashCase {
 protected:
  sqlite3* Open(const char* vfs) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open_v2((directory_ + "/data.db").c_str(), &database,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
              SQLITE_OK);
    return database;
  }
  static Status Run(sqlite3* database, const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return Ok();
    return Fail(Internal(sqlite3_errmsg(database)));
  }
  static constexpr const char* kPrepared =
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL;"
      "PRAGMA synchronous=FULL; PRAGMA cache_size=8;"
      "CREATE TABLE t(bytes BLOB)";
  // In a process of its own, which then loses its power.
  void LoseThePowerAfter(const std::vector<const char*>& statements) {
    const FilePlan plan{.fault = FilePlan::Fault::kLosePower, .at = UINT64_MAX};
    const Ending ending = InChild(directory_, plan, [&]() -> Status {
      sqlite3* const database = Open(LogVfs());
      GP_CHECK_OK(Run(database, kPrepared));
      for (const char* statement : statements) GP_CHECK_OK(Run(database, statement));
      return Ok();  // it stays open
    });
    ASSERT_EQ(ending.exit_code, 0) << ending.words;
  }
  int64_t Rows() const {
    sqlite3* const database = Open(nullptr);
    int64_t rows = -1;
    {
      Statement count(database, "SELECT count(*) FROM t");
      if (count.Step() == SQLITE_ROW) rows = static_cast<int64_t>(count.Number(0));
    }
    sqlite3_close(database);
    return rows;
  }
};

constexpr const char* kThousandRows =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c LIMIT 1000)"
    "INSERT INTO t SELECT randomblob(700) FROM c";
constexpr const char* kOneRow = "INSERT INTO t VALUES(randomblob(700))";

TEST_F(Log, ASmallCommitIsOneWriteThatIsItsOwnSync) {
  WatchFiles(directory_);
  sqlite3* const database = Open(LogVfs());
  ASSERT_TRUE(Run(database, kPrepared));
  for (int i = 0; i < 3; ++i) {
    const size_t before = WatchedCalls().size();
    ASSERT_TRUE(Run(database, kOneRow));
    const std::vector<FileCall> calls = WatchedCalls();
    EXPECT_EQ(std::vector(calls.begin() + static_cast<ptrdiff_t>(before), calls.end()),
              std::vector{FileCall::kWrite});
  }
  sqlite3_close(database);
  WatchFiles("");
}

// As on disks that say only then that they want larger blocks.
TEST_F(Log, WhereDirectWritesAreRefusedAfterAllTheLogIsAsEver) {
  for (uint64_t at = 0; at < 60; ++at) {
    Empty();
    const FilePlan plan{.fault = FilePlan::Fault::kNoDirect, .at = at};
    const Ending ending = InChild(directory_, plan, [&]() -> Status {
      sqlite3* const database = Open(LogVfs());
      GP_CHECK_OK(Run(database, kPrepared));
      for (int i = 0; i < 10; ++i) GP_CHECK_OK(Run(database, kOneRow));
      GP_CHECK_OK(Run(database, kThousandRows));
      return Run(database, kOneRow);
    });
    ASSERT_EQ(ending.exit_code, 0) << at << ": " << ending.words;
    EXPECT_EQ(Rows(), 1'011) << at;
  }
}

TEST_F(Log, ACommitOutlivesThePower) {
  LoseThePowerAfter({kOneRow, kOneRow, kThousandRows, kOneRow});
  EXPECT_EQ(Rows(), 1'003);
}

TEST_F(Log, ACommitInPlaceOfWhatWasRolledBackOutlivesThePower) {
  LoseThePowerAfter({kOneRow, "BEGIN", kThousandRows, "ROLLBACK", kOneRow, kOneRow});
  EXPECT_EQ(Rows(), 3);
}

TEST_F(Log, WhatIsNotCommittedDoesNot) {
  LoseThePowerAfter({kOneRow, "BEGIN", kThousandRows});
  EXPECT_EQ(Rows(), 1);
}

}  // namespace
}  // namespace gp
