#include "supervisor/process/job_cgroups.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr int kFreezeTriesMax = 100;  // one millisecond each

std::string ReadAt(int directory, const char* name) {
  const Descriptor file(openat(directory, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while (file.valid() && (count = read(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

bool WriteAt(int directory, const char* name, std::string_view value) {
  const Descriptor file(openat(directory, name, O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

std::vector<pid_t> Listed(int directory) {
  std::vector<pid_t> listed;
  const std::string pids = ReadAt(directory, "cgroup.procs");
  const char* at = pids.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    if (pid > 1) listed.push_back(static_cast<pid_t>(pid));
    at = end + 1;
  }
  return listed;
}

void KillListed(int directory) {
  for (const pid_t pid : Listed(directory)) kill(pid, SIGKILL);
}

void PauseMillisecond() {
  const timespec pause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  nanosleep(&pause, nullptr);
}

// Freezes, kills and thaws: a frozen process cannot fork while the list is read.
void KillFrozen(int directory, const char* control, const char* freeze, const char* thaw,
                const char* state, const char* frozen) {
  WriteAt(directory, control, freeze);
  for (int i = 0; i < kFreezeTriesMax; ++i) {
    if (ReadAt(directory, state).find(frozen) != std::string::npos) break;
    PauseMillisecond();
  }
  KillListed(directory);
  WriteAt(directory, control, thaw);
}

}  // namespace

Result<JobCgroups> JobCgroups::Open(const CgroupPaths& paths) {
  JobCgroups cgroups;
  const auto open_directory = [](const std::string& path, Descriptor& into) -> Status {
    into.Reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!into.valid()) return Fail(SystemError("cannot open " + path, errno));
    return Ok();
  };
  if (!paths.unified.empty()) GP_CHECK_OK(open_directory(paths.unified, cgroups.unified_));
  if (!paths.freezer.empty()) GP_CHECK_OK(open_directory(paths.freezer, cgroups.freezer_));
  for (const std::string& path : paths.joined) {
    // "tasks" in place of "cgroup.procs": moving a single thread avoids a lock of the kernel whose
    // grace period takes milliseconds.
    Descriptor tasks(open((path + "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
    if (!tasks.valid()) return Fail(SystemError("cannot open " + path + "/tasks", errno));
    cgroups.legacy_.push_back(std::move(tasks));
    cgroups.names_.push_back(path);
  }
  if (!paths.oom_events.empty()) {
    cgroups.oom_events_.Reset(open(paths.oom_events.c_str(), O_RDONLY | O_CLOEXEC));
  }
  return cgroups;
}

std::string JobCgroups::JoinLegacy() const {
  for (size_t i = 0; i < legacy_.size(); ++i) {
    if (write(legacy_[i].get(), "0", 1) != 1) return names_[i];
  }
  return {};
}

void JobCgroups::KillAll() const {
  if (unified_.valid()) {
    if (WriteAt(unified_.get(), "cgroup.kill", "1")) return;
    // Before Linux 5.14.
    KillFrozen(unified_.get(), "cgroup.freeze", "1", "0", "cgroup.events", "frozen 1");
  } else if (freezer_.valid()) {
    KillFrozen(freezer_.get(), "freezer.state", "FROZEN", "THAWED", "freezer.state", "FROZEN");
  }
}

bool JobCgroups::IsEmpty() const {
  if (unified_.valid()) {
    return ReadAt(unified_.get(), "cgroup.events").find("populated 0") != std::string::npos;
  }
  return !freezer_.valid() || ReadAt(freezer_.get(), "cgroup.procs").empty();
}

std::optional<std::vector<pid_t>> JobCgroups::Members() const {
  if (!CanKill()) return std::nullopt;
  return Listed(unified_.valid() ? unified_.get() : freezer_.get());
}

int64_t JobCgroups::OomKills() const {
  char text[1024];
  const ssize_t count =
      oom_events_.valid() ? pread(oom_events_.get(), text, sizeof text - 1, 0) : 0;
  if (count <= 0) return 0;
  text[count] = '\0';
  constexpr const char* kField = "oom_kill ";
  for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (std::strncmp(line, kField, std::strlen(kField)) == 0) {
      return std::strtoll(line + std::strlen(kField), nullptr, 10);
    }
  }
  return 0;
}

}  // namespace gp
