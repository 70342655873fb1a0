#include "supervisor/process/children.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "supervisor/process/host.h"
#include "supervisor/records/attempt_record.h"

namespace gp {

Status Children::Start(ChildRole role, const ChildPlan& plan, std::optional<ExecSession> session) {
  StartedChild started = GP_TRY(StartChild(plan));
  none_left_ = false;
  list_.push_back({.pid = started.pid,
                   .role = role,
                   .start_failure = std::move(started.start_failure),
                   .failure = {},
                   .failure_cause = EndCause::kCouldNotStart,
                   .session = std::move(session)});
  return Ok();
}

void Children::Add(ChildRole role, pid_t pid) {
  none_left_ = false;
  list_.push_back({.pid = pid, .role = role, .start_failure = {}, .failure = {}, .session = {}});
}

bool Children::Has(ChildRole role) const {
  return std::ranges::any_of(list_, [&](const Child& child) { return child.role == role; });
}

void Children::Kill(ChildRole role) const {
  for (const Child& child : list_) {
    if (child.role == role) kill(child.pid, SIGKILL);
  }
}

bool Children::LearnStart(Child& child) {
  char text[512];
  const ssize_t count = read(child.start_failure.get(), text, sizeof text);
  if (count > 0) {
    child.failure.append(text, static_cast<size_t>(count));
    return false;
  }
  child.start_failure.Reset();
  if (child.failure.empty()) return true;
  const bool of_job = child.failure.front() == static_cast<char>(Blame::kJob);
  child.failure_cause = of_job ? EndCause::kCouldNotStart : EndCause::kPlatformFault;
  child.failure.erase(0, 1);
  return true;
}

std::vector<Exit> Children::Reap() {
  std::vector<Exit> exits;
  while (true) {
    int wait_status = 0;
    const pid_t pid = waitpid(-1, &wait_status, WNOHANG);
    if (pid <= 0) {
      none_left_ = pid < 0 && errno == ECHILD;
      return exits;
    }
    const auto found = std::ranges::find(list_, pid, &Child::pid);
    if (found == list_.end()) continue;
    exits.push_back({.child = std::move(*found), .wait_status = wait_status});
    list_.erase(found);
  }
}

void Children::KillDirect() const {
  const std::string self = std::to_string(getpid());
  const Descriptor file(openat(TheHost().proc.get(), ("self/task/" + self + "/children").c_str(),
                               O_RDONLY | O_CLOEXEC));
  std::string pids;
  char buffer[4096];
  ssize_t count = 0;
  while (file.valid() && (count = read(file.get(), buffer, sizeof buffer)) > 0) {
    pids.append(buffer, static_cast<size_t>(count));
  }
  const char* at = pids.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    const auto ours = std::ranges::find(list_, static_cast<pid_t>(pid), &Child::pid);
    if (ours == list_.end() || ours->role != ChildRole::kCheck)
      kill(static_cast<pid_t>(pid), SIGKILL);
    at = end;
    while (*at == ' ') ++at;
  }
}

}  // namespace gp
