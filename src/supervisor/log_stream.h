#pragma once

// One of the job's two output streams: a pipe whose writing end the job gets, and the log file it
// is emptied into.  The supervisor keeps the writing end too (hooks write there), so the end of
// the stream is not an event; Finish takes what is in the pipe when all writers are dead.

#include <string>

#include "base/result.h"
#include "supervisor/descriptor.h"
#include "supervisor/log_file.h"

namespace gp {

class LogStream {
 public:
  static Result<LogStream> Open(const std::string& path, int64_t bytes_max, uint32_t owner);

  int readable() const { return read_end_.get(); }
  int writable() const { return write_end_.get(); }
  // Moves at most one buffer's worth, so that other work gets its turn.
  void Drain();
  // Moves all that is in the pipe now; somebody outside who still writes cannot prolong it.
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
