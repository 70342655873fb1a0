#pragma once

#include <sqlite3.h>

#include <string_view>

namespace gp {

// One prepared statement of SQLite.  If it cannot be prepared, its first step fails, and the
// database has the reason.  One thread uses it.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void Bind(int at, uint64_t value) {
    sqlite3_bind_int64(statement_, at, static_cast<int64_t>(value));
  }
  // `bytes` must live until the step.
  void Bind(int at, std::string_view bytes) {
    sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  int Step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  void Reset() { sqlite3_reset(statement_); }

  uint64_t Number(int column) {
    return static_cast<uint64_t>(sqlite3_column_int64(statement_, column));
  }
  // Valid until the next step.
  std::string_view Bytes(int column) {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data == nullptr ? "" : data,
            static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace gp
