#pragma once

// One of the job's two output streams: a pipe that the job writes to, and the log file that it is
// copied to.  The supervisor also keeps the writing end (for hooks), so the end of the stream is
// not an event; Finish copies the rest when all writers are dead.

#include <string>

#include "base/result.h"
#include "files/descriptor.h"
#include "supervisor/output/log_file.h"

namespace gp {

class LogStream {
 public:
  static Result<LogStream> Open(const std::string& path, int64_t bytes_max, uint32_t owner);

  int readable() const { return read_end_.get(); }
  int writable() const { return write_end_.get(); }
  // Copies at most one buffer, so that other work is not delayed.
  void Drain();
  // Copies all that is in the pipe now; a process that still writes cannot prolong this.
  void Finish();
  // "12 bytes of X were lost: No space left on device"; empty: none.
  std::string Loss() const;

 private:
  size_t Move(size_t bytes_max);

  std::string path_;
  LogFile file_;
  Descriptor read_end_;
  Descriptor write_end_;
};

}  // namespace gp
