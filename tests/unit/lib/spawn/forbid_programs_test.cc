#include "lib/spawn/forbid_programs.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace gp {
namespace {

// 0: all calls are refused, and threads are not.
int TryCalls() {
  if (!ForbidPrograms()) return 1;
  if (execl("/bin/true", "true", nullptr) == 0 || errno != EPERM) return 2;
  if (unshare(CLONE_NEWUSER) == 0 || errno != EPERM) return 3;
  if (ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0 || errno != EPERM) return 4;
  int ran = 0;
  std::thread([&ran] { ran = 1; }).join();
  return ran == 1 ? 0 : 5;
}

TEST(ForbidPrograms, NoProgramIsStarted) {
  const pid_t child = fork();
  if (child == 0) _exit(TryCalls());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace gp
