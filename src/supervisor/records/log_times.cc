#include "supervisor/records/log_times.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/ignore_result.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr int64_t kMarkBytes = sizeof(LogMark);
static_assert(kMarkBytes == 16, "the form on disk");
constexpr int64_t kMarksOfAPeriod = 16'384;  // then they become half as frequent
constexpr int kPeriodsMax = 16;

// From the last of that number of marks to the next: what follows a mark was written within this
// time.
Duration DistanceAfter(int64_t marks) {
  const int64_t period = marks / kMarksOfAPeriod;
  return Duration::Seconds(int64_t{1} << (period < kPeriodsMax ? period : kPeriodsMax));
}

// Not valid where it cannot be created.
Descriptor CreateFor(uint32_t owner, const std::string& path) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool is_theirs =
      owner == geteuid() || fchown(file.get(), owner, static_cast<gid_t>(-1)) == 0;
  return is_theirs ? std::move(file) : Descriptor();
}

// A mark that cannot be written is a hole, which reads as time 0 and offset 0.
void WriteMark(int file, int64_t index, const LogMark& mark) {
  IgnoreResult(pwrite(file, &mark, sizeof mark, index * kMarkBytes), "output is not held up");
}

Result<LogMark> ReadMark(int file, int64_t index, const std::string& log) {
  LogMark mark;
  const ssize_t count = pread(file, &mark, sizeof mark, index * kMarkBytes);
  if (count == kMarkBytes) return mark;
  return Fail(SystemError("cannot read the times of " + log, count < 0 ? errno : EIO));
}

}  // namespace

std::string LogTimesPath(const std::string& log) { return log + ".times"; }

void LogTimesWriter::Note(Instant now, int64_t offset) {
  if (now < next_) return;
  if (marks_ == 0) {
    first_ = {now, offset};
  } else {
    if (marks_ == 1) {
      file_ = CreateFor(owner_, LogTimesPath(log_));
      WriteMark(file_.get(), 0, first_);
    }
    WriteMark(file_.get(), marks_, {now, offset});
  }
  ++marks_;
  next_ = now + DistanceAfter(marks_);
}

Result<int64_t> OffsetAt(const std::string& log, Instant since) {
  const std::string path = LogTimesPath(log);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) return 0;
  struct stat facts;
  if (!file.valid() || fstat(file.get(), &facts) != 0)
    return Fail(SystemError("cannot read " + path, errno));
  const int64_t marks = facts.st_size / kMarkBytes;
  int64_t later = 0;  // the first mark after `since`
  for (int64_t end = marks; later < end;) {
    const int64_t middle = later + (end - later) / 2;
    const LogMark mark = GP_TRY(ReadMark(file.get(), middle, log));
    if (mark.at <= since) {
      later = middle + 1;
    } else {
      end = middle;
    }
  }
  if (later == 0) return 0;
  const LogMark before = GP_TRY(ReadMark(file.get(), later - 1, log));
  const bool is_hole = before.at.ns == 0;
  const bool is_past = !is_hole && later < marks && before.at + DistanceAfter(later) <= since;
  return is_past ? GP_TRY(ReadMark(file.get(), later, log)).offset : before.offset;
}

}  // namespace gp
