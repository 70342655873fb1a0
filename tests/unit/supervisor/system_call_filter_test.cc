// The filter cannot be taken off again: each test runs in a child process.
// Of the refused calls those are made here that change nothing if the filter lets them pass.

#include "supervisor/process/system_call_filter.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace gp {
namespace {

// errno of the call in a process with the filter; 0: it succeeded; -1: this kernel has no filters.
int ErrorUnderFilter(long number, long first = 0) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!FilterSystemCalls().empty()) _exit(254);
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2) _exit(255);
    errno = 0;
    const long answer = syscall(number, first, 0L, 0L, 0L, 0L, 0L);
    _exit(answer < 0 ? errno : 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 254) {
    ADD_FAILURE() << "the process under the filter failed";
    return -2;
  }
  return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

class SystemCallFilterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ErrorUnderFilter(SYS_getpid) == -1)
      GTEST_SKIP() << "SKIPPED: this kernel was built without filters";
  }
};

TEST_F(SystemCallFilterTest, CallsForTheHostsAdministratorAreRefused) {
  // Without the filter each of them fails for another reason, at least for root.
  for (const long number :
       {SYS_bpf, SYS_reboot, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
        SYS_swapon, SYS_swapoff, SYS_open_by_handle_at, SYS_clock_settime, SYS_lookup_dcookie,
        SYS_nfsservctl, SYS_acct, SYS_settimeofday, SYS_syslog, SYS_userfaultfd}) {
    EXPECT_EQ(ErrorUnderFilter(number, -1), EPERM) << number;
  }
}

#if defined(__x86_64__)
TEST_F(SystemCallFilterTest, OldCallsAndThoseOfAnotherTableAreRefused) {
  for (const long number : {SYS_ustat, SYS_modify_ldt, SYS_uselib, SYS_create_module, SYS__sysctl})
    EXPECT_EQ(ErrorUnderFilter(number, 99), EPERM) << number;
  constexpr long kX32 = 0x40000000;
  EXPECT_EQ(ErrorUnderFilter(kX32 + SYS_getpid), ENOSYS);
  EXPECT_EQ(ErrorUnderFilter(kX32 + SYS_bpf, -1), ENOSYS);
}
#endif

TEST_F(SystemCallFilterTest, WhatJobsNeedIsAllowed) {
  for (const long number : {SYS_getpid, SYS_getuid, SYS_sched_yield, SYS_getppid})
    EXPECT_EQ(ErrorUnderFilter(number), 0) << number;
  // Neighbours of refused calls, which fail by themselves: the filter refuses no whole range.
  EXPECT_EQ(ErrorUnderFilter(SYS_close, -1), EBADF);
  EXPECT_EQ(ErrorUnderFilter(SYS_name_to_handle_at, -1), EFAULT);
  EXPECT_EQ(ErrorUnderFilter(SYS_unshare, 0), 0);
}

TEST_F(SystemCallFilterTest, OfTheProcessAloneAndItsChildren) {
  EXPECT_EQ(prctl(PR_GET_SECCOMP, 0, 0, 0, 0), 0) << "the parent has none";
}

}  // namespace
}  // namespace gp
