#pragma once

namespace gp {

// The name, for sqlite3_open_v2, of a VFS that writes SQLite's log (`-wal`) past the page cache.
// It leaves everything else to SQLite's default VFS, and also the log where the file system does
// not support such writes.  A log belongs to one connection: the database must be locked
// exclusively.
const char* LogVfs();

}  // namespace gp
