#include "adapters/outbound/sqlite/log_vfs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/outbound/sqlite/sqlite_statement.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

class LogVfsTest : public testing::Test {
 protected:
  LogVfsTest() {
    std::string name = "/var/tmp/log-vfs-XXXXXX";  // below /tmp there may be no direct writes
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/data.db";
    Open(LogVfs());
  }
  ~LogVfsTest() override {
    sqlite3_close(database_);
    fs::remove_all(directory_);
  }

  void Open(const char* vfs) {
    ASSERT_EQ(
        sqlite3_open_v2(path_.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
        SQLITE_OK);
    Run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, bytes BLOB)");
  }
  void Run(const std::string& sql) {
    char* error = nullptr;
    ASSERT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  }
  void Insert(int first, int count, int bytes) {
    Run("WITH RECURSIVE c(n) AS (SELECT " + std::to_string(first) +
        " UNION ALL SELECT n+1 FROM c LIMIT " + std::to_string(count) +
        ") INSERT INTO t SELECT n, randomblob(" + std::to_string(bytes) + ") FROM c");
  }
  int64_t Number(const char* sql) {
    Statement statement(database_, sql);
    return statement.Step() == SQLITE_ROW ? static_cast<int64_t>(statement.Number(0)) : -1;
  }
  std::string Check() {
    std::string words;
    Statement check(database_, "PRAGMA integrity_check");
    while (check.Step() == SQLITE_ROW) words += check.Bytes(0);
    return words;
  }
  // The files as a kill would leave them, opened by SQLite as everybody has it.
  void ContinueFromCopy() {
    const std::string copy = directory_ + "/copy.db";
    for (const std::string suffix : {"", "-wal"})
      fs::copy_file(path_ + suffix, copy + suffix, fs::copy_options::overwrite_existing);
    sqlite3_close(database_);
    path_ = copy;
    Open(nullptr);
  }

  std::string directory_;
  std::string path_;
  sqlite3* database_ = nullptr;
};

TEST_F(LogVfsTest, TheLogIsOpenPastThePageCache) {
  int direct = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) != path_ + "-wal") continue;
    const int flags = fcntl(std::stoi(entry.path().filename()), F_GETFL);
    direct += (flags & O_DIRECT) != 0 && (flags & O_DSYNC) != 0 ? 1 : 0;
  }
  EXPECT_EQ(direct, 1);
}

TEST_F(LogVfsTest, WhatWasCommittedIsThereForEverySqlite) {
  for (int i = 0; i < 50; ++i) Insert(i * 10, 10, 300);
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 500);
  EXPECT_EQ(Check(), "ok");
}

TEST_F(LogVfsTest, GoesOnWithALogThatAnotherSqliteLeft) {
  Insert(0, 100, 500);
  ContinueFromCopy();
  Insert(100, 3, 500);
  const std::string copy = directory_ + "/again.db";
  for (const std::string suffix : {"", "-wal"}) fs::copy_file(path_ + suffix, copy + suffix);
  sqlite3_close(database_);
  path_ = copy;
  Open(LogVfs());
  Insert(200, 5, 500);
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 108);
  EXPECT_EQ(Check(), "ok");
}

// With room for few pages SQLite writes them to the log before the commit, reads them again, and
// writes some a second time in their place.
TEST_F(LogVfsTest, LargeTransactionsAreWhole) {
  Run("PRAGMA cache_size=8");
  Run("CREATE INDEX by_bytes ON t(bytes)");
  Insert(0, 3'000, 700);
  Run("BEGIN");
  Insert(3'000, 2'000, 700);
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 5'000);
  Run("UPDATE t SET bytes = randomblob(600) WHERE n % 3 = 0");
  Run("COMMIT");
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 5'000);
  EXPECT_EQ(Number("SELECT count(*) FROM t WHERE length(bytes) = 600"), 1'667);
  EXPECT_EQ(Check(), "ok");
}

TEST_F(LogVfsTest, WhatIsRolledBackLeavesNothingAndIsWrittenOver) {
  Run("PRAGMA cache_size=8");
  Insert(0, 100, 700);
  for (int i = 0; i < 5; ++i) {
    Run("BEGIN");
    Insert(1'000, 800, 700);
    Run("ROLLBACK");
    Insert(100 + i, 1, 700);
  }
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 105);
  EXPECT_EQ(Check(), "ok");
}

TEST_F(LogVfsTest, TheLogIsBegunAgain) {
  Run("PRAGMA wal_autocheckpoint=20");
  for (int i = 0; i < 400; ++i) Insert(i, 1, 2'000);
  EXPECT_LT(fs::file_size(path_ + "-wal"), 60U * 4'120U);
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 400);
  EXPECT_EQ(Check(), "ok");
}

TEST_F(LogVfsTest, ALogCanBeCutOff) {
  Insert(0, 500, 2'000);
  Run("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_EQ(fs::file_size(path_ + "-wal"), 0U);
  Insert(500, 10, 2'000);
  ContinueFromCopy();
  EXPECT_EQ(Number("SELECT count(*) FROM t"), 510);
  EXPECT_EQ(Check(), "ok");
}

}  // namespace
}  // namespace gp
