#include "supervisor/process/become_user.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/ignore_result.h"
#include "supervisor/process/host.h"

namespace gp {
namespace {

// Capabilities that a job of root keeps: enough to install packages, but not to change mounts,
// devices, cgroups, the kernel or other users' processes.
constexpr int kKeptByRoot[] = {CAP_CHOWN,   CAP_DAC_OVERRIDE, CAP_FOWNER,          CAP_FSETID,
                               CAP_KILL,    CAP_SETGID,       CAP_SETUID,          CAP_SETPCAP,
                               CAP_SETFCAP, CAP_SYS_CHROOT,   CAP_NET_BIND_SERVICE};

void SetLimit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  const rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  setrlimit(resource, &limit);  // best effort: only root may raise
}

// A job must not inherit scheduling settings that the agent was started with.
void ResetScheduling() {
  const int file = openat(TheHost().proc.get(), "self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    IgnoreResult(write(file, "0", 1), "the process runs on, only more likely to be killed");
    close(file);
  }
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);  // the cpuset cgroup narrows it
  setpriority(PRIO_PROCESS, 0, 0);
}

void SetLimits() {
  SetLimit(RLIMIT_CORE, 0, 0);
  SetLimit(RLIMIT_NOFILE, 65536, 524288);
  SetLimit(RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY);  // RDMA; the memory cgroup bounds it
  SetLimit(RLIMIT_NPROC, RLIM_INFINITY, RLIM_INFINITY);    // per user; the pids cgroup bounds jobs
  SetLimit(RLIMIT_STACK, 8 << 20, RLIM_INFINITY);
  umask(022);
}

bool DropCapabilities(bool stays_root) {
  for (int capability = 0; capability < 64; ++capability) {
    if (stays_root && std::ranges::find(kKeptByRoot, capability) != std::end(kKeptByRoot)) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      if (errno == EINVAL) break;  // beyond the last capability of this kernel
      return false;
    }
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  // Inheritable capabilities would survive execve despite the bounding set.
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  sets[0].inheritable = sets[1].inheritable = 0;
  return syscall(SYS_capset, &header, sets) == 0;
}

std::string ChangeIds(const UserIdentity& user) {
  if (!DropCapabilities(user.uid == 0)) return "cannot drop capabilities";
  if (setgroups(user.groups.size(), user.groups.data()) != 0) return "cannot set the groups";
  if (setresgid(user.gid, user.gid, user.gid) != 0) return "cannot set the group id";
  if (setresuid(user.uid, user.uid, user.uid) != 0) return "cannot set the user id";
  return {};
}

}  // namespace

std::string BecomeUser(const UserIdentity& user) {
  ResetScheduling();
  SetLimits();
  if (geteuid() == 0) {
    std::string failure = ChangeIds(user);
    if (!failure.empty()) return failure;
  } else if (geteuid() != user.uid) {
    errno = EPERM;
    return "the agent is not root and cannot start jobs of uid " + std::to_string(user.uid);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "cannot set no_new_privs";
  return {};
}

}  // namespace gp
