#include "adapters/outbound/process/file_log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "files/descriptor.h"
#include "supervisor/records/log_times.h"

namespace gp {

Result<LogSlice> FileLogReader::Read(const std::string& path, int64_t offset, int64_t bytes_max) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  LogSlice slice;
  if (file.get() < 0) {
    if (errno == ENOENT) return slice;
    return Fail(Internal(path + ": " + std::strerror(errno)));
  }
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return Fail(Internal(path + ": " + std::strerror(errno)));
  slice.end = info.st_size;
  slice.offset =
      offset < 0 ? std::max<int64_t>(0, slice.end + offset) : std::min(offset, slice.end);
  // Bytes that the size limit dropped are a hole: go on at the first one kept.
  const off_t kept = lseek(file.get(), slice.offset, SEEK_DATA);
  if (kept > slice.offset) slice.offset = kept;
  slice.bytes.resize(
      static_cast<size_t>(std::clamp<int64_t>(slice.end - slice.offset, 0, bytes_max)));
  const ssize_t n = pread(file.get(), slice.bytes.data(), slice.bytes.size(), slice.offset);
  if (n < 0) return Fail(Internal(path + ": " + std::strerror(errno)));
  slice.bytes.resize(static_cast<size_t>(n));
  return slice;
}

Result<int64_t> FileLogReader::OffsetAt(const std::string& path, Instant since) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return 0;
    return Fail(Internal(path + ": " + std::strerror(errno)));
  }
  const Instant last_write{int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
  if (last_write < since) return int64_t{info.st_size};
  return gp::OffsetAt(path, since);
}

}  // namespace gp
