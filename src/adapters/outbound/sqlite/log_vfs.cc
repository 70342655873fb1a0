#include "adapters/outbound/sqlite/log_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "adapters/outbound/sqlite/direct_log.h"

namespace gp {
namespace {

sqlite3_vfs& System() {
  static sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  return *system;
}

// The log, opened twice: as SQLite does it, for reading and for all that is no appending, and past
// the page cache.  The kernel keeps both views alike.
class Log {
 public:
  Log() : memory_(static_cast<size_t>(System().szOsFile) / sizeof(int64_t) + 1) {}
  ~Log() {
    if (file().pMethods != nullptr) file().pMethods->xClose(&file());
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool Open(const char* path, int flags, int* flags_out) {
    if (System().xOpen(&System(), path, &file(), flags, flags_out) != SQLITE_OK) return false;
    direct_ = DirectLog::Open(path);
    return direct_ != nullptr;
  }

  int Write(const void* bytes, int size, sqlite3_int64 at) {
    const auto count = static_cast<size_t>(size);
    if (is_synced_ && direct_->Takes(at, count))
      return CodeOf(direct_->Append(bytes, count, at), SQLITE_IOERR_WRITE);
    // Large transactions, what they write again, what stands in place of one that was rolled back;
    // and the rest of that transaction, for to go from one way to the other costs a sync.
    if (const int code = Flush(); code != SQLITE_OK) return code;
    is_synced_ = false;
    direct_->NoteEnd(at + size);
    return file().pMethods->xWrite(&file(), bytes, size, at);
  }
  int Read(void* bytes, int size, sqlite3_int64 at) {
    if (direct_->ReadPending(bytes, static_cast<size_t>(size), at)) return SQLITE_OK;
    if (direct_->IsPending(at + size)) {
      if (const int code = Flush(); code != SQLITE_OK) return code;
    }
    return file().pMethods->xRead(&file(), bytes, size, at);
  }
  int Flush() { return CodeOf(direct_->Flush(), SQLITE_IOERR_FSYNC); }
  int Sync(int flags) {
    if (const int code = Flush(); code != SQLITE_OK || is_synced_) return code;
    const int code = file().pMethods->xSync(&file(), flags);
    is_synced_ = code == SQLITE_OK;
    return code;
  }
  int Truncate(sqlite3_int64 size) {
    if (const int code = Flush(); code != SQLITE_OK) return code;
    is_synced_ = false;
    direct_->NoteEnd(0);
    return file().pMethods->xTruncate(&file(), size);
  }
  int Size(sqlite3_int64* size) {
    if (const int code = Flush(); code != SQLITE_OK) return code;
    return file().pMethods->xFileSize(&file(), size);
  }

  sqlite3_file& file() { return *reinterpret_cast<sqlite3_file*>(memory_.data()); }

 private:
  static int CodeOf(int error, int code) {
    if (error == 0) return SQLITE_OK;
    return error == ENOSPC || error == EDQUOT ? SQLITE_FULL : code;
  }

  std::vector<int64_t> memory_;  // the file of the system's VFS
  std::unique_ptr<DirectLog> direct_;
  // What was not written past the page cache, the name of a new log to begin with.
  bool is_synced_ = false;
};

struct LogFile {
  sqlite3_file head;
  Log* log;
};

Log& LogOf(sqlite3_file* file) {
  return *reinterpret_cast<LogFile*>(file)->log;
}

const sqlite3_io_methods& Methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods these = {};
    these.iVersion = 1;
    these.xClose = [](sqlite3_file* file) {
      const int code = LogOf(file).Flush();
      delete &LogOf(file);
      return code;
    };
    these.xRead = [](sqlite3_file* file, void* bytes, int size, sqlite3_int64 at) {
      return LogOf(file).Read(bytes, size, at);
    };
    these.xWrite = [](sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
      return LogOf(file).Write(bytes, size, at);
    };
    these.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
      return LogOf(file).Truncate(size);
    };
    these.xSync = [](sqlite3_file* file, int flags) { return LogOf(file).Sync(flags); };
    these.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
      return LogOf(file).Size(size);
    };
    // A log is never locked: its database is.
    these.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
    these.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
    these.xCheckReservedLock = [](sqlite3_file*, int* is_locked) {
      *is_locked = 0;
      return SQLITE_OK;
    };
    these.xFileControl = [](sqlite3_file* file, int what, void* with) {
      sqlite3_file& own = LogOf(file).file();
      return own.pMethods->xFileControl(&own, what, with);
    };
    these.xSectorSize = [](sqlite3_file* file) {
      sqlite3_file& own = LogOf(file).file();
      return own.pMethods->xSectorSize(&own);
    };
    these.xDeviceCharacteristics = [](sqlite3_file* file) {
      sqlite3_file& own = LogOf(file).file();
      return own.pMethods->xDeviceCharacteristics(&own);
    };
    return these;
  }();
  return methods;
}

int OpenFile(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  if ((flags & SQLITE_OPEN_WAL) != 0) {
    auto log = std::make_unique<Log>();
    if (log->Open(path, flags, flags_out)) {
      auto* const own = reinterpret_cast<LogFile*>(file);
      own->head.pMethods = &Methods();
      own->log = log.release();
      return SQLITE_OK;
    }
  }
  return System().xOpen(&System(), path, file, flags, flags_out);
}

}  // namespace

const char* LogVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs own = System();  // its functions ask nothing of the VFS but by xOpen
    own.zName = "gpu-platform-log";
    own.szOsFile = std::max(own.szOsFile, static_cast<int>(sizeof(LogFile)));
    own.xOpen = OpenFile;
    return own;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace gp
