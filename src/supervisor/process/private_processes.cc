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

#include "supervisor/process/host.h"
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

// Like fork, into a new pid namespace; -1 with errno.  The child must not use threads.
pid_t ForkIntoNamespace(Descriptor& held) {
  int pidfd = -1;
  const long pid = syscall(SYS_clone, CLONE_NEWPID | CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);
  if (pid > 0) held.Reset(pidfd);
  return static_cast<pid_t>(pid);
}

// Forks the init process and waits until its /proc is mounted.
Status StartFirst(const std::string& key, PrivateProcesses& made) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(SystemError("cannot make a pipe", errno));
  const Descriptor known(ends[0]);
  Descriptor ready(ends[1]);
  made.first = ForkIntoNamespace(made.first_held);
  if (made.first == 0) LiveAsFirst(key, ready.get());
  if (made.first < 0) return Fail(SystemError("cannot start the job's first process", errno));
  ready.Reset();
  int error = 0;
  if (read(known.get(), &error, sizeof error) != sizeof error) error = EIO;
  if (error != 0) return Fail(SystemError("cannot mount the job's /proc", error));
  return Ok();
}

}  // namespace

Status EnterPrivateProcesses(const std::string& key, PrivateProcesses& made) {
  if (!TheHost().pids.valid() || !TheHost().ipc.valid()) return Ok();  // a kernel without them
  if (unshare(CLONE_NEWIPC) != 0) {
    if (errno == EINVAL || errno == ENOSYS) return Ok();
    return Fail(SystemError("cannot give the job IPC of its own", errno));
  }
  made.has_own_ipc = true;
  const Status started = StartFirst(key, made);
  if (!started.has_value() && made.first > 0) kill(made.first, SIGKILL);
  return started;
}

}  // namespace gp
