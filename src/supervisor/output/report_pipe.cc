#include "supervisor/output/report_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/records/attempt_record.h"
#include "supervisor/records/report_line.h"

namespace gp {
namespace {

constexpr size_t kReadMax = 64 << 10;

// The directories do not exist yet below a private /tmp.
void MakeParents(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash);
    // Independent of the umask: the job's user must be able to pass through.
    if (mkdir(directory.c_str(), 0711) == 0) chmod(directory.c_str(), 0711);
  }
}

}  // namespace

Result<ReportPipe> ReportPipe::Make(const std::string& path, uint32_t uid, uint32_t gid) {
  bool is_made = mkfifo(path.c_str(), 0600) == 0;
  if (!is_made) {
    MakeParents(path);
    unlink(path.c_str());  // of an earlier supervisor
    is_made = mkfifo(path.c_str(), 0600) == 0;
  }
  if (!is_made) return Fail(SystemError("cannot make the pipe for reports " + path, errno));
  ReportPipe pipe;
  pipe.pipe_.Reset(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat facts = {};
  if (!pipe.pipe_.valid() || fstat(pipe.pipe_.get(), &facts) != 0 || !S_ISFIFO(facts.st_mode)) {
    return Fail(SystemError("cannot open the pipe for reports " + path, errno));
  }
  if (geteuid() == 0 && fchown(pipe.pipe_.get(), uid, gid) != 0) {
    return Fail(SystemError("cannot give the pipe for reports to the job's user", errno));
  }
  return pipe;
}

std::vector<std::string> ReportPipe::TakeLines() {
  std::vector<std::string> lines;
  char buffer[kReportLineMax];
  size_t taken = 0;
  ssize_t count = 0;
  while (taken < kReadMax && (count = read(pipe_.get(), buffer, sizeof buffer)) > 0) {
    taken += static_cast<size_t>(count);
    for (const char c : std::string_view(buffer, static_cast<size_t>(count))) {
      if (c == '\n') {
        if (!begun_.empty()) lines.push_back(std::move(begun_));
        begun_.clear();
        is_skipping_ = false;
      } else if (!is_skipping_) {
        begun_ += c;
        is_skipping_ = begun_.size() > kReportLineMax;
      }
    }
  }
  return lines;
}

}  // namespace gp
