#include "supervisor/process/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/ignore_result.h"
#include "supervisor/process/system_call_filter.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What execve takes.  Made before the fork: a child that allocates copies the pages of the heap.
struct Program {
  explicit Program(const ChildPlan& plan)
      : argv(Pointers(plan.argv)), environment(Pointers(plan.environment)) {}
  std::vector<char*> argv;
  std::vector<char*> environment;
};

[[noreturn]] void Give(int failure_pipe, Blame blame, const std::string& what, int error) {
  const std::string message = static_cast<char>(blame) + what + ": " + std::strerror(error);
  IgnoreResult(write(failure_pipe, message.data(), message.size()),
               "the reader sees the end of the pipe");
  _exit(127);
}

bool TakeDescriptors(const ChildPlan& plan) {
  // All three sources are above 2: the supervisor was started with 0, 1 and 2 open.
  if (dup2(plan.input, 0) < 0 || dup2(plan.output, 1) < 0 || dup2(plan.errors, 2) < 0) return false;
  if (plan.terminal && ioctl(0, TIOCSCTTY, 0) != 0) return false;
  // They close at execve, because the failure pipe is still needed before.
  return syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) == 0;
}

void ResetSignals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // dispositions were never changed
}

// Runs in the child.  The order matters: cgroups first, ids late, and nothing that needs root after
// them.
[[noreturn]] void RunChild(const ChildPlan& plan, Program& program, int failure_pipe,
                           pid_t parent) {
  if (plan.cgroups != nullptr) {
    const std::string refused = plan.cgroups->JoinLegacy();
    if (!refused.empty())
      Give(failure_pipe, Blame::kPlatform, "cannot join the cgroup " + refused, errno);
  }
  if (setsid() < 0) Give(failure_pipe, Blame::kPlatform, "cannot start a session", errno);
  if (!TakeDescriptors(plan))
    Give(failure_pipe, Blame::kPlatform, "cannot set up descriptors", errno);
  if (plan.ipc_namespace >= 0 && setns(plan.ipc_namespace, CLONE_NEWIPC) != 0)
    Give(failure_pipe, Blame::kPlatform, "cannot return to the host's IPC", errno);
  if (plan.network_namespace >= 0 && setns(plan.network_namespace, CLONE_NEWNET) != 0)
    Give(failure_pipe, Blame::kPlatform, "cannot return to the host's network", errno);
  const bool returned =
      plan.mount_namespace < 0 ||
      (setns(plan.mount_namespace, CLONE_NEWNS) == 0 && fchdir(plan.root) == 0 && chroot(".") == 0);
  if (!returned) {
    Give(failure_pipe, Blame::kPlatform, "cannot return to the host's mounts", errno);
  }
  if (plan.user.has_value()) {
    const std::string refused = BecomeUser(*plan.user);
    if (!refused.empty()) Give(failure_pipe, Blame::kPlatform, refused, errno);
    // A job without its supervisor has no holder of its lease, so it ends with it.  Set after the
    // change of ids, which clears it.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // In a pid namespace of its own the child sees the supervisor as 0.
    if (getppid() != (plan.pid_namespace < 0 ? parent : 0)) _exit(127);
  }
  // As the user: on network file systems root may have no access where the user has.
  if (!plan.working_directory.empty() && chdir(plan.working_directory.c_str()) != 0) {
    const int error = errno;
    Give(failure_pipe, BlameFor(error),
         "cannot enter the working directory " + plan.working_directory, error);
  }
  ResetSignals();
  if (plan.user.has_value()) {
    const std::string refused = FilterSystemCalls();
    if (!refused.empty()) Give(failure_pipe, Blame::kPlatform, refused, errno);
  }
  if (plan.work) _exit(plan.work());
  environ = program.environment.data();  // so that execvp searches the job's PATH
  execvp(program.argv[0], program.argv.data());
  const int error = errno;
  Give(failure_pipe, BlameFor(error), "cannot run " + plan.argv[0], error);
}

// The child is created inside the cgroup, so it never runs outside.
pid_t Fork(int cgroup) {
  if (cgroup < 0) return fork();
  clone_args how = {};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<uint64_t>(cgroup);
  return static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
}

}  // namespace

// On a host without memory, processes or a working disk any program would fail.
Blame BlameFor(int error) {
  constexpr int kOfHost[] = {ENOMEM, EAGAIN, EMFILE, ENFILE, EIO, ENOSPC, ESTALE};
  return std::ranges::find(kOfHost, error) != std::end(kOfHost) ? Blame::kPlatform : Blame::kJob;
}

Error ErrorOfJob(const std::string& what, int error) {
  return BlameFor(error) == Blame::kPlatform ? SystemError(what, error)
                                             : InvalidArgument(what + ": " + std::strerror(error));
}

Result<StartedChild> StartChild(const ChildPlan& plan) {
  if (!plan.work && (plan.argv.empty() || plan.argv[0].empty())) {
    return Fail(InvalidArgument("there is no program to run"));
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("cannot make a pipe", errno));
  Descriptor failure_pipe(ends[1]);
  StartedChild child;
  child.start_failure.Reset(ends[0]);

  Program program(plan);
  const pid_t self = getpid();
  if (plan.pid_namespace >= 0 && setns(plan.pid_namespace, CLONE_NEWPID) != 0)
    return Fail(SystemError("cannot enter the job's processes", errno));
  child.pid = Fork(plan.cgroups != nullptr ? plan.cgroups->unified() : -1);
  const int error = errno;
  if (child.pid == 0) RunChild(plan, program, failure_pipe.get(), self);
  if (plan.pid_namespace >= 0) setns(plan.own_pid_namespace, CLONE_NEWPID);
  if (child.pid < 0) return Fail(SystemError("cannot start a process", error));
  return child;
}

}  // namespace gp
