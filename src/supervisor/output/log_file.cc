#include "supervisor/output/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "supervisor/deadline_timer.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr int64_t kBlockBytes = 4096;  // holes free only whole blocks

}  // namespace

Result<LogFile> LogFile::Open(const std::string& path, int64_t bytes_max, uint32_t owner) {
  LogFile log;
  log.bytes_max_ = bytes_max;
  log.file_.Reset(open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!log.file_.valid()) return Fail(SystemError("cannot open the log " + path, errno));
  struct stat facts;
  if (fstat(log.file_.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return Fail(Internal("the log " + path + " is not a regular file"));
  }
  if (facts.st_uid != owner && fchown(log.file_.get(), owner, static_cast<gid_t>(-1)) != 0) {
    return Fail(SystemError("cannot give the log " + path + " to its user", errno));
  }
  log.end_ = facts.st_size;
  log.times_ = LogTimesWriter(path, owner);
  return log;
}

void LogFile::Append(const char* bytes, size_t size) {
  if (size > 0) times_.Note({WallNs()}, end_);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = pwrite(file_.get(), bytes + done, size - done, end_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      last_error_ = count < 0 ? errno : ENOSPC;
      bytes_lost_ += static_cast<int64_t>(size - done);
      return;
    }
    done += static_cast<size_t>(count);
    end_ += count;
  }
  if (bytes_max_ > 0 && end_ - kept_from_ > bytes_max_) DropOldest();
}

void LogFile::DropOldest() {
  const int64_t keep_from = (end_ - bytes_max_ / 2) / kBlockBytes * kBlockBytes;
  if (keep_from <= kept_from_) return;
  if (fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, keep_from) == 0) {
    kept_from_ = keep_from;
    return;
  }
  // This file system has no holes: truncate the file, then restore its length.
  if (ftruncate(file_.get(), 0) != 0 || ftruncate(file_.get(), end_) != 0) last_error_ = errno;
  kept_from_ = end_;
}

}  // namespace gp
