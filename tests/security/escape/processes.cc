// Through another process: the supervisor (root, our parent) or a job of somebody else.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

std::string Proc(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

Outcome Attach(pid_t pid) { return Refused(ptrace(PTRACE_SEIZE, pid, nullptr, nullptr)); }

Outcome ReadMemory(pid_t pid) {
  char buffer[16];
  iovec local = {.iov_base = buffer, .iov_len = sizeof buffer};
  iovec remote = {.iov_base = reinterpret_cast<void*>(0x400000), .iov_len = sizeof buffer};
  if (process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0) return Escaped("read");
  return {.escaped = errno == EFAULT, .detail = ErrnoText(errno)};  // EFAULT: it was allowed
}

Outcome TakeDescriptor(pid_t pid) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return Held("pidfd_open: " + ErrnoText(errno));
  return Refused(syscall(SYS_pidfd_getfd, process, 4, 0));
}

Outcome OpenDescriptorOf(pid_t pid) {
  const int fd = open(Proc(pid, "fd/4").c_str(), O_RDONLY | O_CLOEXEC);
  return Refused(fd);
}

Outcome OpenForReading(const std::string& path) {
  return Refused(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

Outcome ConnectToControl(const Target& target) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = target.state + "/attempts/" + target.key + "/control";
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return Refused(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
}

// Ids taken back would show in the effective uid or in a capability.
Outcome BecomeRoot() {
  if (setresuid(0, 0, 0) == 0 || seteuid(0) == 0) return Escaped("uid 0");
  return Held(ErrnoText(errno));
}

Outcome BecomeVictim(const Target&) { return Refused(setresuid(61002, 61002, 61002)); }

Outcome JoinGroup() {
  const gid_t groups[] = {0};
  if (setresgid(0, 0, 0) == 0) return Escaped("gid 0");
  return Refused(syscall(SYS_setgroups, 1, groups));
}

Outcome RaiseCapability() {
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0) return Escaped("CAP_SYS_ADMIN");
  return Held(ErrnoText(errno));
}

Outcome ClearNoNewPrivileges() {
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) return Escaped("it was not set");
  return Refused(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

// A group kill must not reach beyond our own session either.
Outcome KillGroupOf(pid_t pid) {
  return pid == 1 ? Held("it is not seen from in here") : Refused(kill(-pid, SIGTERM));
}

const std::array kCases = {
    Case{"trace the supervisor", [](const Target& t) { return Attach(t.supervisor); }},
    Case{"trace another user's job", [](const Target& t) { return Attach(t.victim); }},
    Case{"read the supervisor's memory", [](const Target& t) { return ReadMemory(t.supervisor); }},
    Case{"read another job's memory", [](const Target& t) { return ReadMemory(t.victim); }},
    Case{"open the supervisor's /proc/…/mem",
         [](const Target& t) { return OpenForReading(Proc(t.supervisor, "mem")); }},
    Case{"open the supervisor's environment",
         [](const Target& t) { return OpenForReading(Proc(t.supervisor, "environ")); }},
    Case{"open another job's environment",
         [](const Target& t) { return OpenForReading(Proc(t.victim, "environ")); }},
    Case{"open a node by the supervisor's root",
         [](const Target& t) { return OpenNode(Proc(t.supervisor, "root") + t.node); }},
    Case{"enter the supervisor's root",
         [](const Target& t) { return Refused(chdir(Proc(t.supervisor, "root").c_str())); }},
    Case{"enter the supervisor's directory",
         [](const Target& t) { return Refused(chdir(Proc(t.supervisor, "cwd").c_str())); }},
    Case{"open a descriptor of the supervisor",
         [](const Target& t) { return OpenDescriptorOf(t.supervisor); }},
    Case{"take a descriptor of the supervisor",
         [](const Target& t) { return TakeDescriptor(t.supervisor); }},
    Case{"take a descriptor of another job",
         [](const Target& t) { return TakeDescriptor(t.victim); }},
    Case{"signal the supervisor",
         [](const Target& t) { return Refused(kill(t.supervisor, SIGKILL)); }},
    Case{"signal another user's job",
         [](const Target& t) { return Refused(kill(t.victim, SIGKILL)); }},
    Case{"signal the supervisor's session",
         [](const Target& t) { return KillGroupOf(t.supervisor); }},
    Case{"talk to the control socket", ConnectToControl},
    Case{
        "read the launch file",
        [](const Target& t) { return OpenForReading(t.state + "/attempts/" + t.key + "/launch"); }},
    Case{"limit the supervisor's files",
         [](const Target& t) {
           const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
           return Refused(prlimit(t.supervisor, RLIMIT_NOFILE, &none, nullptr));
         }},
    Case{"set uid 0", [](const Target&) { return BecomeRoot(); }},
    Case{"set another user's uid", BecomeVictim},
    Case{"join root's group", [](const Target&) { return JoinGroup(); }},
    Case{"raise a capability", [](const Target&) { return RaiseCapability(); }},
    Case{"take no_new_privs back", [](const Target&) { return ClearNoNewPrivileges(); }},
};

}  // namespace

std::span<const Case> ProcessCases() { return kCases; }

}  // namespace gp::escape
