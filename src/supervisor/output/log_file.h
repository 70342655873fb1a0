#pragma once

// A job's output on disk.  Byte N of the stream is byte N of the file for ever; at the limit the
// oldest half becomes a hole (docs/isolation.md, "Logs").  On a full disk bytes are lost, but the
// job is never blocked.  Beside it are the times at which the bytes were written.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "files/descriptor.h"
#include "supervisor/records/log_times.h"

namespace gp {

class LogFile {
 public:
  // Continues at the end of an existing file.  The file belongs to `owner`, and no other user can
  // read it.  bytes_max 0: no limit.
  static Result<LogFile> Open(const std::string& path, int64_t bytes_max, uint32_t owner);

  void Append(const char* bytes, size_t size);
  // Number of bytes that could not be written, and the errno of the last failure.
  int64_t bytes_lost() const { return bytes_lost_; }
  int last_error() const { return last_error_; }

 private:
  void DropOldest();

  Descriptor file_;
  LogTimesWriter times_;
  int64_t bytes_max_ = 0;
  int64_t end_ = 0;
  int64_t kept_from_ = 0;
  int64_t bytes_lost_ = 0;
  int last_error_ = 0;
};

}  // namespace gp
