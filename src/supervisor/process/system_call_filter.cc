#include "supervisor/process/system_call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <vector>

namespace gp {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
constexpr unsigned kOtherNumbers = 0x40000000;  // x32: the same architecture, other calls
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
constexpr unsigned kOtherNumbers = ~0u;
#else
#error "the system call filter knows no numbers for this architecture"
#endif

// Most of these need a capability that no job has; for them this is additional protection.  Others
// expose more of the kernel than any job needs.  Calls for rootless containers in a job
// (namespaces, mounts inside them) stay allowed, as do those for Kerberos keys, quotas, and
// debuggers and profilers of the job's own processes.
constexpr unsigned kRefused[] = {
    SYS_acct,
    SYS_bpf,
    SYS_clock_settime,
    SYS_delete_module,
    SYS_finit_module,
    SYS_init_module,
    SYS_kexec_load,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    SYS_open_by_handle_at,
    SYS_reboot,
    SYS_settimeofday,
    SYS_swapoff,
    SYS_swapon,
    SYS_syslog,
    SYS_userfaultfd,
    SYS_vhangup,
#if defined(SYS_kexec_file_load)
    SYS_kexec_file_load,
#endif
#if defined(__x86_64__)
    SYS_ioperm,
    SYS_iopl,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_query_module,
    SYS__sysctl,
#endif
};
static_assert(std::size(kRefused) < 200, "a jump in a filter goes at most 255 steps");

std::vector<sock_filter> Program() {
  const auto jump = [](unsigned short how, unsigned value, size_t yes, size_t no) {
    return sock_filter{static_cast<unsigned short>(BPF_JMP | how | BPF_K),
                       static_cast<unsigned char>(yes), static_cast<unsigned char>(no), value};
  };
  const auto load = [](size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
  };
  const auto answer = [](unsigned what) { return sock_filter{BPF_RET | BPF_K, 0, 0, what}; };
  std::vector<sock_filter> program{
      load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, kArchitecture, 1, 0),
      answer(SECCOMP_RET_ERRNO | ENOSYS), load(offsetof(seccomp_data, nr)),
      jump(BPF_JGE, kOtherNumbers, 0, 1), answer(SECCOMP_RET_ERRNO | ENOSYS)};
  const size_t count = std::size(kRefused);
  for (size_t i = 0; i < count; ++i) program.push_back(jump(BPF_JEQ, kRefused[i], count - i, 0));
  program.push_back(answer(SECCOMP_RET_ALLOW));
  program.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  return program;
}

}  // namespace

std::string FilterSystemCalls() {
  std::vector<sock_filter> program = Program();
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0) return "";
  // A kernel built without filters
  return errno == EINVAL || errno == ENOSYS ? "" : "cannot filter the job's system calls";
}

}  // namespace gp
