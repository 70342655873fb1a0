#pragma once

namespace gp {

// The name, for sqlite3_open_v2, of a VFS that writes SQLite's log (`-wal`) past the page cache
// and leaves all else to the one that SQLite has by itself, and the log too where the file system
// has no such writes.  A log is of one connection: the database must be held exclusively.
const char* LogVfs();

}  // namespace gp
