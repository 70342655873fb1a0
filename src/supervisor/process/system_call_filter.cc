#include "supervisor/process/system_call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <span>
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
static_assert(std::size(kRefused) < 100, "a jump in a filter goes at most 255 steps");
// About the number of system calls of a kernel; only the shape of the tree depends on it.
constexpr unsigned kCalls = 480;

constexpr sock_filter Jump(unsigned short how, unsigned value, size_t yes, size_t no) {
  return {static_cast<unsigned short>(BPF_JMP | how | BPF_K), static_cast<unsigned char>(yes),
          static_cast<unsigned char>(no), value};
}

constexpr sock_filter Load(size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
}

constexpr sock_filter Answer(unsigned what) { return {BPF_RET | BPF_K, 0, 0, what}; }

// Consecutive numbers that get the same answer; they end where the next interval begins.
struct Interval {
  unsigned begin = 0;
  bool is_refused = false;
};

constexpr std::vector<Interval> Intervals() {
  std::vector<unsigned> refused(std::begin(kRefused), std::end(kRefused));
  std::ranges::sort(refused);
  std::vector<Interval> intervals{{}};
  for (const unsigned number : refused) {
    if (number > intervals.back().begin) {
      intervals.push_back({number, true});
      intervals.push_back({number + 1, false});
    } else {
      intervals.back().begin = number + 1;  // it follows another refused one
    }
  }
  return intervals;
}

// A tree of comparisons, the first of which halves the numbers.  A list of them would do, but the
// kernel tries a new filter with every number, so that a list costs each job 20 microseconds more.
class Tree {
 public:
  // Appends the tree to `program`; afterwards no instruction may follow.
  static constexpr void Append(std::span<const Interval> intervals,
                               std::vector<sock_filter>& program) {
    Tree tree{program, program.size() + intervals.size() - 1};
    tree.Add(intervals, kCalls);
    program.push_back(Answer(SECCOMP_RET_ALLOW));
    program.push_back(Answer(SECCOMP_RET_ERRNO | EPERM));
  }

 private:
  constexpr Tree(std::vector<sock_filter>& program, size_t allow)
      : program_(program), allow_(allow) {}

  // REQUIRES: two intervals or more.
  constexpr void Add(std::span<const Interval> intervals, unsigned end) {
    const unsigned middle = (intervals[0].begin + end) / 2;
    size_t right = 1;
    while (right + 1 < intervals.size() && intervals[right].begin < middle) ++right;
    const size_t at = program_.size();
    program_.push_back({});
    const size_t below = Branch(intervals.first(right), intervals[right].begin);
    const size_t above = Branch(intervals.subspan(right), end);
    program_[at] = Jump(BPF_JGE, intervals[right].begin, above - at - 1, below - at - 1);
  }

  // Where the program goes on for these numbers.
  constexpr size_t Branch(std::span<const Interval> intervals, unsigned end) {
    if (intervals.size() == 1) return allow_ + (intervals[0].is_refused ? 1 : 0);
    const size_t begin = program_.size();
    Add(intervals, end);
    return begin;
  }

  std::vector<sock_filter>& program_;
  const size_t allow_;  // index of this answer; the other one follows
};

constexpr std::vector<sock_filter> Program() {
  std::vector<sock_filter> program{
      Load(offsetof(seccomp_data, arch)), Jump(BPF_JEQ, kArchitecture, 1, 0),
      Answer(SECCOMP_RET_ERRNO | ENOSYS), Load(offsetof(seccomp_data, nr)),
      Jump(BPF_JGE, kOtherNumbers, 0, 1), Answer(SECCOMP_RET_ERRNO | ENOSYS)};
  Tree::Append(Intervals(), program);
  return program;
}

// Made by the compiler, because a new process would pay for each page that it writes.
constexpr std::array kProgram = [] {
  std::array<sock_filter, Program().size()> program{};
  std::ranges::copy(Program(), program.begin());
  return program;
}();

// What the program answers to a call of this architecture.
constexpr unsigned AnswerTo(unsigned number) {
  size_t at = 3;  // the number is loaded there
  while (kProgram[++at].code != (BPF_RET | BPF_K))
    at += number >= kProgram[at].k ? kProgram[at].jt : kProgram[at].jf;
  return kProgram[at].k;
}

static_assert(
    [] {
      for (unsigned number = 0; number < 2 * kCalls; ++number) {
        const bool is_listed = std::ranges::find(kRefused, number) != std::end(kRefused);
        if (AnswerTo(number) != (is_listed ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW))
          return false;
      }
      return true;
    }(),
    "the filter refuses the listed calls and no other");

}  // namespace

std::string FilterSystemCalls() {
  // The kernel only reads it.
  const sock_fprog filter{kProgram.size(), const_cast<sock_filter*>(kProgram.data())};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0) return "";
  // A kernel built without filters
  return errno == EINVAL || errno == ENOSYS ? "" : "cannot filter the job's system calls";
}

}  // namespace gp
