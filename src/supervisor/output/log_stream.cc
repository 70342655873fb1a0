#include "supervisor/output/log_stream.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr size_t kBufferBytes = 64 << 10;
char stream_buffer[kBufferBytes];  // shared: one thread, used within one call

}  // namespace

Result<LogStream> LogStream::Open(const std::string& path, int64_t bytes_max, uint32_t owner) {
  LogStream stream;
  stream.path_ = path;
  stream.file_ = GP_TRY(LogFile::Open(path, bytes_max, owner));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("cannot make a pipe", errno));
  stream.read_end_.Reset(ends[0]);
  stream.write_end_.Reset(ends[1]);
  // Only the supervisor's end: the job would see the flag on its own.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return stream;
}

size_t LogStream::Move(size_t bytes_max) {
  const ssize_t count = read(read_end_.get(), stream_buffer, std::min(bytes_max, kBufferBytes));
  if (count <= 0) return 0;
  file_.Append(stream_buffer, static_cast<size_t>(count));
  return static_cast<size_t>(count);
}

void LogStream::Drain() { Move(kBufferBytes); }

void LogStream::Finish() {
  int left = 0;
  if (!read_end_.valid() || ioctl(read_end_.get(), FIONREAD, &left) != 0) return;
  size_t rest = static_cast<size_t>(left);
  while (rest > 0) {
    const size_t moved = Move(rest);
    if (moved == 0) return;
    rest -= moved;
  }
}

std::string LogStream::Loss() const {
  if (file_.bytes_lost() == 0) return {};
  return std::to_string(file_.bytes_lost()) + " bytes of " + path_ +
         " were lost: " + std::strerror(file_.last_error());
}

}  // namespace gp
