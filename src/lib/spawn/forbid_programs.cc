#include "lib/spawn/forbid_programs.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace gp {
namespace {

constexpr unsigned kForbidden[] = {SYS_execve,
                                   SYS_execveat,
                                   SYS_ptrace,
                                   SYS_process_vm_readv,
                                   SYS_process_vm_writev,
                                   SYS_mount,
                                   SYS_umount2,
                                   SYS_pivot_root,
                                   SYS_chroot,
                                   SYS_unshare,
                                   SYS_setns,
                                   SYS_bpf,
                                   SYS_perf_event_open,
                                   SYS_keyctl,
                                   SYS_add_key,
                                   SYS_request_key,
                                   SYS_userfaultfd,
                                   SYS_io_uring_setup,
                                   SYS_open_by_handle_at,
                                   SYS_pidfd_getfd};

#if defined(__x86_64__)
constexpr unsigned kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = AUDIT_ARCH_AARCH64;
#else
#error "the filter knows no numbers for this architecture"
#endif

// Numbers from here on are those of another kind of program on x86-64 (x32).
constexpr unsigned kOtherNumbers = 0x40000000;

constexpr sock_filter LoadFrom(size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
}
// Skips the next instruction unless the condition holds.
constexpr sock_filter Where(unsigned condition, unsigned value) {
  return {static_cast<unsigned short>(BPF_JMP | condition | BPF_K), 0, 1, value};
}
constexpr sock_filter Answer(unsigned answer) { return {BPF_RET | BPF_K, 0, 0, answer}; }

std::vector<sock_filter> Filter() {
  constexpr unsigned kRefused = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter{
      LoadFrom(offsetof(seccomp_data, arch)), {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kMachine},
      Answer(SECCOMP_RET_KILL_PROCESS),       LoadFrom(offsetof(seccomp_data, nr)),
      Where(BPF_JGE, kOtherNumbers),          Answer(kRefused)};
  for (const unsigned call : kForbidden) {
    filter.push_back(Where(BPF_JEQ, call));
    filter.push_back(Answer(kRefused));
  }
  filter.push_back(Answer(SECCOMP_RET_ALLOW));
  return filter;
}

}  // namespace

Status ForbidPrograms() {
  std::vector<sock_filter> filter = Filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
    return Ok();
  return Fail(Internal(std::string("cannot forbid system calls: ") + std::strerror(errno)));
}

}  // namespace gp
