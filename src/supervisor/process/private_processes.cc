#include "supervisor/process/private_processes.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/process/host_proc.h"
#include "supervisor/process/process_title.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

// The init process: it ends when its parent ends, and the job ends with it.
[[noreturn]] void LiveAsFirst(const std::string& key, int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  SetTitle({"gpu-platform-init", key});
  const int error =
      mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0 ? 0 : errno;
  // The parent may have ended before the prctl.
  if (write(ready, &error, sizeof error) != sizeof error) _exit(1);
  // The job must not see our descriptors, and only the supervisor may hold the attempt's lock.
  syscall(SYS_close_range, 0u, ~0u, 0);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  while (true) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    sigwaitinfo(&children, nullptr);
  }
}

Descriptor OpenNamespace(const std::string& process, const char* name) {
  return Descriptor(openat(HostProc(), (process + "/ns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
}

// Forks the init process and waits until its /proc is mounted.
Status StartFirst(const std::string& key, PrivateProcesses& made) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("cannot make a pipe", errno));
  const Descriptor known(ends[0]);
  Descriptor ready(ends[1]);
  made.first = fork();
  if (made.first == 0) LiveAsFirst(key, ready.get());
  if (made.first < 0) return Fail(SystemError("cannot start the job's first process", errno));
  ready.Reset();
  int error = 0;
  if (read(known.get(), &error, sizeof error) != sizeof error) error = EIO;
  if (error != 0) return Fail(SystemError("cannot mount the job's /proc", error));
  made.pids = OpenNamespace(std::to_string(made.first), "pid");
  if (!made.pids.valid())
    return Fail(SystemError("cannot open the job's process namespace", errno));
  return Ok();
}

}  // namespace

Result<PrivateProcesses> EnterPrivateProcesses(const std::string& key) {
  PrivateProcesses made;
  made.host_pids = OpenNamespace("self", "pid");
  made.host_ipc = OpenNamespace("self", "ipc");
  if (!made.host_pids.valid() || !made.host_ipc.valid()) return PrivateProcesses{};
  if (unshare(CLONE_NEWPID | CLONE_NEWIPC) != 0) {
    // A kernel built without these namespaces
    if (errno == EINVAL || errno == ENOSYS) return PrivateProcesses{};
    return Fail(SystemError("cannot give the job processes of its own", errno));
  }
  const Status started = StartFirst(key, made);
  // Later children are created in the host's pid namespace again, unless their plan names another.
  if (setns(made.host_pids.get(), CLONE_NEWPID) != 0 && started.has_value()) {
    return Fail(SystemError("cannot return to the host's processes", errno));
  }
  if (!started.has_value()) {
    if (made.first > 0) kill(made.first, SIGKILL);
    return Fail(started.error());
  }
  return made;
}

}  // namespace gp
