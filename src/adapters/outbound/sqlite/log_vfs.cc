#include "adapters/outbound/sqlite/log_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/sqlite/direct_log.h"

namespace gp {
namespace {

constexpr size_t kPiece = 65'536;

sqlite3_vfs& System() {
  static sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  return *system;
}

// The log, opened twice: in SQLite's way, for reading and everything except appending, and past the
// page cache.  The kernel keeps both views consistent.
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
    if (at == 0) {  // its header: the whole content becomes void
      if (const int code = Flush(SQLITE_IOERR_WRITE); code != SQLITE_OK) return code;
      direct_->BeginAgain();
    }
    const auto count = static_cast<size_t>(size);
    if (is_direct_ && is_synced_ && direct_->Takes(at, count)) {
      const int error = direct_->Append(bytes, count, at);
      if (error == 0) return SQLITE_OK;
      if (const int code = Refused(error, SQLITE_IOERR_WRITE); code != SQLITE_OK) return code;
    }
    // Large transactions, pages that they rewrite, and pages that replace those of a rolled-back
    // transaction go through the page cache; so does the rest of that transaction, because each
    // change between the two ways costs a sync.
    if (const int code = Flush(SQLITE_IOERR_WRITE); code != SQLITE_OK) return code;
    is_synced_ = false;
    direct_->NoteEnd(at + size);
    return file().pMethods->xWrite(&file(), bytes, size, at);
  }
  int Read(void* bytes, int size, sqlite3_int64 at) {
    if (direct_->ReadPending(bytes, static_cast<size_t>(size), at)) return SQLITE_OK;
    if (at + size > direct_->pending_at()) {
      if (const int code = Flush(SQLITE_IOERR_READ); code != SQLITE_OK) return code;
    }
    return file().pMethods->xRead(&file(), bytes, size, at);
  }
  // `failure` must be an error on which SQLite rolls back the transaction, not the statement: pages
  // of all its statements may have been pending.
  int Flush(int failure) {
    const int error = direct_->Flush();
    return error == 0 ? SQLITE_OK : Refused(error, failure);
  }
  int Sync(int flags) {
    const int flushed = Flush(SQLITE_IOERR_FSYNC);
    if (flushed != SQLITE_OK) return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : flushed;
    if (is_synced_) return SQLITE_OK;
    const int code = file().pMethods->xSync(&file(), flags);
    is_synced_ = code == SQLITE_OK;
    return code;
  }
  int Truncate(sqlite3_int64 size) {
    if (const int code = Flush(SQLITE_IOERR_TRUNCATE); code != SQLITE_OK) return code;
    is_synced_ = false;
    direct_->BeginAgain();
    direct_->NoteEnd(size);
    return file().pMethods->xTruncate(&file(), size);
  }
  int Size(sqlite3_int64* size) {
    if (const int code = Flush(SQLITE_IOERR_FSTAT); code != SQLITE_OK) return code;
    return file().pMethods->xFileSize(&file(), size);
  }

  sqlite3_file& file() { return *reinterpret_cast<sqlite3_file*>(memory_.data()); }

 private:
  // A direct write or read failed.  If the file system does not support them after all (some report
  // it only now), the pending bytes and everything after them go through the page cache.
  int Refused(int error, int failure) {
    const std::string pending(direct_->pending());
    direct_->DropPending();
    errno = error;
    if (error != EINVAL && error != EOPNOTSUPP) return failure;
    is_direct_ = is_synced_ = false;
    // Writes pieces of a size that SQLite itself might use.
    for (size_t done = 0; done < pending.size(); done += kPiece) {
      const auto size = static_cast<int>(std::min(kPiece, pending.size() - done));
      const int code =
          file().pMethods->xWrite(&file(), pending.data() + done, size,
                                  direct_->pending_at() + static_cast<sqlite3_int64>(done));
      if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
  }

  std::vector<int64_t> memory_;  // the file of the system's VFS
  std::unique_ptr<DirectLog> direct_;
  bool is_direct_ = true;
  // True if nothing that went through the page cache, nor the name of a new log, still needs a
  // sync.  Only then are direct writes all that a commit needs.
  bool is_synced_ = false;
};

struct LogFile {
  sqlite3_file head;
  Log* log;
};

Log& LogOf(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file)->log; }

const sqlite3_io_methods& Methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods these = {};
    these.iVersion = 1;
    these.xClose = [](sqlite3_file* file) {
      const int code = LogOf(file).Flush(SQLITE_IOERR_CLOSE);
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
    // A log is never locked: the database is.
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
    sqlite3_vfs own = System();  // its functions use the VFS only through xOpen
    own.zName = "gpu-platform-log";
    own.szOsFile = std::max(own.szOsFile, static_cast<int>(sizeof(LogFile)));
    own.xOpen = OpenFile;
    return own;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace gp
