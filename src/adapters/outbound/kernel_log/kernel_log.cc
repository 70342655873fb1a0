#include "adapters/outbound/kernel_log/kernel_log.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gp {
namespace {

// Several times the capacity of a usual kernel ring.
constexpr int kReadsMax = 65536;

ErrorCode CodeOf(int error) {
  switch (error) {
    case ENOENT: return ErrorCode::kNotFound;
    case EACCES:
    case EPERM: return ErrorCode::kPermissionDenied;
    case ENODEV:
    case ENXIO: return ErrorCode::kUnsupported;
    default: return ErrorCode::kInternal;
  }
}

Status CheckKind(const std::string& path, const struct stat& kind) {
  if (S_ISCHR(kind.st_mode) && kind.st_rdev == makedev(1, 11)) return Ok();
  const bool is_stream = S_ISREG(kind.st_mode) || S_ISFIFO(kind.st_mode);
  // Containers may have a FIFO there, and then any program that writes to it could pass for the
  // kernel.
  if (is_stream && path != kKernelLogPath) return Ok();
  return Fail(Unsupported(path + " is not the kernel's log (device 1:11)"));
}

// Only new records: old ones may be about GPUs that were reset or replaced since.
Status GoToEnd(int descriptor, const std::string& path) {
  if (lseek(descriptor, 0, SEEK_END) >= 0 || errno == ESPIPE) return Ok();
  return Fail({CodeOf(errno), path + ": " + std::strerror(errno)});
}

Result<struct stat> KindOf(int descriptor, const std::string& path) {
  struct stat kind{};
  if (fstat(descriptor, &kind) != 0) return Fail(Internal(path + ": " + std::strerror(errno)));
  GP_CHECK_OK(CheckKind(path, kind));
  return kind;
}

// -1: not available or not needed.
int OpenNotices(const struct stat& kind, const std::string& path) {
  if (!S_ISREG(kind.st_mode)) return -1;
  const int notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (notices < 0 || inotify_add_watch(notices, path.c_str(), IN_MODIFY) >= 0) return notices;
  close(notices);
  return -1;
}

}  // namespace

Result<std::unique_ptr<KernelLog>> KernelLog::Open(const std::string& path, bool accept_user,
                                                   ReadCall read_call) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    return Fail({CodeOf(errno), "cannot read " + path + ": " + std::strerror(errno)});
  }
  const Result<struct stat> kind = KindOf(descriptor, path);
  if (!kind) {
    close(descriptor);
    return Fail(kind.error());
  }
  // Opened before the seek to the end: later writes give notice.
  std::unique_ptr<KernelLog> log(new KernelLog(descriptor, S_ISREG(kind->st_mode),
                                               OpenNotices(*kind, path), S_ISCHR(kind->st_mode),
                                               accept_user, read_call));
  GP_CHECK_OK(GoToEnd(descriptor, path));
  return log;
}

KernelLog::~KernelLog() {
  close(descriptor_);
  if (notices_ >= 0) close(notices_);
}

bool KernelLog::lost_records() { return std::exchange(lost_records_, false); }

void KernelLog::Parse(std::string_view record, std::vector<KernelXid>& found) {
  if (auto xid = ParseXid(record, accept_user_)) return found.push_back(std::move(*xid));
  const auto text = TextOf(record, accept_user_);
  if (!text) return;
  KernelXid other;
  other.text = *text;
  if (const auto error = ParseFabricError(*text)) {
    other.kind = SignalKind::kFabric;
    other.xid = error->sxid;
    other.is_fatal = error->is_fatal;
    found.push_back(std::move(other));
    return;
  }
  auto place = ParseFailedStart(*text);
  if (!place) place = fallen_.Take(*text);
  if (!place) return;
  other.kind = SignalKind::kLost;
  other.bus_id = *std::move(place);
  found.push_back(std::move(other));
}

void KernelLog::AddStream(std::string_view bytes, std::vector<KernelXid>& found) {
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    line_ += bytes.substr(0, end);
    if (!is_line_long_) Parse(line_, found);
    line_.clear();
    is_line_long_ = false;
    bytes.remove_prefix(end + 1);
  }
  line_ += bytes;
  if (line_.size() <= kKernelRecordBytesMax) return;
  line_.clear();
  is_line_long_ = true;
}

std::vector<KernelXid> KernelLog::Take() {
  std::vector<KernelXid> found;
  char buffer[kKernelRecordBytesMax];
  // Consumed before the file is read: later writes give notice again.
  while (notices_ >= 0 && read(notices_, buffer, sizeof buffer) > 0) {
  }
  for (int reads = 0; reads < kReadsMax; ++reads) {
    const ssize_t count = read_call_(descriptor_, buffer, sizeof buffer);
    if (count > 0) {
      const std::string_view bytes(buffer, static_cast<size_t>(count));
      has_records_ ? Parse(bytes, found) : AddStream(bytes, found);
    } else if (count < 0 && (errno == EPIPE || errno == EINVAL)) {
      // Records were overwritten before they were read, or one is larger than allowed: the position
      // is after them now.
      lost_records_ = true;
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  return found;
}

}  // namespace gp
