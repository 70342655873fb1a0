#include "adapters/outbound/images/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gp {
namespace {

// To give files their owners, and to reach those of all of them.
constexpr unsigned kKept = 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE | 1U << CAP_FOWNER;

constexpr rlim_t kMemoryMax = rlim_t{4} << 30;  // most of it address space that is not used
constexpr rlim_t kFilesOpenMax = 64;
constexpr rlim_t kMessagesMax = 64 << 10;  // bytes of messages, of a program

constexpr unsigned kFchmodat2 = 452;  // newer than the headers

// Files below the root, memory, time, and the end.  No sockets, no other process, no program.
constexpr unsigned kAllowed[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_openat,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_getdents64,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_symlinkat,
    SYS_linkat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_readlinkat,
    SYS_fchownat,
    SYS_fchown,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_utimensat,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    SYS_flistxattr,
    SYS_faccessat,
    SYS_faccessat2,
    kFchmodat2,
    SYS_chdir,
    SYS_fchdir,
    SYS_getcwd,
    SYS_umask,
    SYS_dup,
    SYS_dup3,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_sched_yield,
    SYS_getpid,
    SYS_gettid,
    SYS_geteuid,
    SYS_getegid,
    SYS_getuid,
    SYS_getgid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_exit,
    SYS_exit_group,
    SYS_rseq,
#if defined(__x86_64__)
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_symlink,
    SYS_link,
    SYS_unlink,
    SYS_rename,
    SYS_readlink,
    SYS_chown,
    SYS_lchown,
    SYS_chmod,
    SYS_utimes,
    SYS_futimesat,
    SYS_dup2,
    SYS_time,
    SYS_getdents,
#endif
};

// Its start, files to read, memory, and the end.
constexpr unsigned kAllowedOfReader[] = {
    SYS_execve,          SYS_read,          SYS_write,
    SYS_readv,           SYS_writev,        SYS_pread64,
    SYS_lseek,           SYS_close,         SYS_fstat,
    SYS_newfstatat,      SYS_statx,         SYS_fsync,
    SYS_faccessat,       SYS_faccessat2,    SYS_readlinkat,
    SYS_getdents64,      SYS_fadvise64,     SYS_mmap,
    SYS_munmap,          SYS_mremap,        SYS_mprotect,
    SYS_madvise,         SYS_brk,           SYS_futex,
    SYS_getrandom,       SYS_clock_gettime, SYS_getpid,
    SYS_gettid,          SYS_geteuid,       SYS_getegid,
    SYS_getuid,          SYS_getgid,        SYS_set_tid_address,
    SYS_set_robust_list, SYS_rseq,          SYS_rt_sigaction,
    SYS_rt_sigprocmask,  SYS_rt_sigreturn,  SYS_exit,
    SYS_exit_group,
#if defined(__x86_64__)
    SYS_access,          SYS_arch_prctl,    SYS_stat,
    SYS_lstat,           SYS_readlink,
#endif
};

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the confinement knows no numbers for this architecture"
#endif

constexpr sock_filter Load(size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
}

// Appends: if what is loaded is this, the filter ends with this answer.
void AnswerIf(unsigned value, unsigned answer, std::vector<sock_filter>& program) {
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value});
  program.push_back({BPF_RET | BPF_K, 0, 0, answer});
}

// As an older kernel would answer: libraries then do without.
constexpr unsigned kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

// By fcntl a process may also have another one signalled, whatever its capabilities.
void AllowSomeOfFcntl(std::vector<sock_filter>& program) {
  constexpr unsigned kCommands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC};
  constexpr auto kSteps = static_cast<unsigned char>(2 * std::size(kCommands) + 2);
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, kSteps, SYS_fcntl});
  program.push_back(Load(offsetof(seccomp_data, args[1])));
  for (const unsigned command : kCommands) AnswerIf(command, SECCOMP_RET_ALLOW, program);
  program.push_back({BPF_RET | BPF_K, 0, 0, kUnknown});
}

// Only to read.
void AllowOpening(std::vector<sock_filter>& program) {
  constexpr unsigned kChanges = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, SYS_openat});
  program.push_back(Load(offsetof(seccomp_data, args[2])));
  program.push_back({BPF_JMP | BPF_JSET | BPF_K, 1, 0, kChanges});
  program.push_back({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  program.push_back({BPF_RET | BPF_K, 0, 0, kUnknown});
}

std::vector<sock_filter> Allow(std::span<const unsigned> numbers) {
  std::vector<sock_filter> program = {Load(offsetof(seccomp_data, arch)),
                                      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kArchitecture},
                                      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
                                      Load(offsetof(seccomp_data, nr))};
  for (const unsigned number : numbers) AnswerIf(number, SECCOMP_RET_ALLOW, program);
  return program;
}

// REQUIRES: this process gives up new privileges.
Status Install(std::vector<sock_filter> program) {
  program.push_back({BPF_RET | BPF_K, 0, 0, kUnknown});
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0) return Ok();
  return Fail(Unsupported("this kernel filters no system calls"));
}

Status Filter() {
  std::vector<sock_filter> program = Allow(kAllowed);
  AllowSomeOfFcntl(program);
  return Install(std::move(program));
}

Status FilterReader() {
  std::vector<sock_filter> program = Allow(kAllowedOfReader);
  AllowOpening(program);
  return Install(std::move(program));
}

Status DropCapabilities() {
  for (int capability = 0; capability < 64; ++capability) {
    if (capability < 32 && (kKept & 1U << capability) != 0) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL)
      return Fail(Internal("cannot drop capabilities"));
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2] = {};
  sets[0].effective = sets[0].permitted = kKept;
  if (syscall(SYS_capset, &header, sets) != 0) return Fail(Internal("cannot drop capabilities"));
  return Ok();
}

void SetLimit(__rlimit_resource_t resource, rlim_t value) {
  const rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit(resource, &limit);  // best effort: the agent bounds room and time besides
}

}  // namespace

Status Confine(const Descriptor& directory) {
  SetLimit(RLIMIT_CORE, 0);
  SetLimit(RLIMIT_AS, kMemoryMax);
  SetLimit(RLIMIT_NOFILE, kFilesOpenMax);
  if (fchdir(directory.get()) != 0 || chroot(".") != 0)
    return Fail(
        Internal(std::string("cannot enter the layer's directory: ") + std::strerror(errno)));
  GP_CHECK_OK(DropCapabilities());
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // it works for nobody but its parent
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    return Fail(Internal("cannot give up privileges"));
  return Filter();
}

Status ConfineReader() {
  SetLimit(RLIMIT_CORE, 0);
  SetLimit(RLIMIT_AS, kMemoryMax);
  SetLimit(RLIMIT_NOFILE, kFilesOpenMax);
  SetLimit(RLIMIT_FSIZE, kMessagesMax);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return Fail(Internal("cannot give up privileges"));
  return FilterReader();
}

}  // namespace gp
