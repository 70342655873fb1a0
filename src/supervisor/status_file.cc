#include "supervisor/status_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "files/replace_file.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr const char* kAside = "status.reserved";
// The largest status of a job that ran: 8 checkpoints, each with a path and a reason, and messages.
constexpr off_t kReservedBytes = 32 << 10;

}  // namespace

Status StatusFile::Reserve(int directory_fd) {
  file_.Reset(openat(directory_fd, kAside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file_.valid()) return Fail(SystemError("cannot create the status file", errno));
  // The file stays empty, so that it need not be cut when the status is shorter.
  if (fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, kReservedBytes) != 0 && errno == ENOSPC) {
    return Fail(SystemError("cannot reserve the status file", errno));
  }
  return Ok();
}

Status StatusFile::Publish(int directory_fd, std::string_view bytes) {
  if (!file_.valid()) {
    return ReplaceFileAt(directory_fd, kStatusFile, bytes, 0600, Survives::kCrash);
  }
  const auto size = static_cast<ssize_t>(bytes.size());
  if (pwrite(file_.get(), bytes.data(), bytes.size(), 0) != size ||
      renameat(directory_fd, kAside, directory_fd, kStatusFile) != 0) {
    return Fail(SystemError("cannot write the status file", errno));
  }
  return Ok();
}

}  // namespace gp
