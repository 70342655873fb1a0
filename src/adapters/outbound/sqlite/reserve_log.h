#pragma once

#include <cstdint>
#include <string>

namespace gp {

// Fills the log beside the database with zeros up to `bytes`.  A sync that also has to record a new
// file size takes a tenth of a millisecond longer.  SQLite does not take zeros for frames; no other
// process writes there while the database is locked exclusively.  If the disk is full, the log
// grows as it is written.
void ReserveLog(const std::string& database_path, int64_t bytes);

}  // namespace gp
