// Containers put other things in the place of the kernel's log.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "adapters/outbound/kernel_log/kernel_log.h"

namespace gp {
namespace {

constexpr int kRefused = 10;
constexpr int kBelieved = 11;
constexpr int kCannotMount = 12;

// In a process and mounts of its own: the host keeps its log.
int OpenWith(const std::string& in_its_place) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(in_its_place.c_str(), kKernelLogPath, nullptr, MS_BIND, nullptr) != 0) {
      _exit(kCannotMount);
    }
    const auto log = KernelLog::Open();
    _exit(!log && log.error().code == ErrorCode::kUnsupported ? kRefused : kBelieved);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Container, WhatStandsInForTheLogIsRefused) {
  char name[] = "/tmp/kernel_log_XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::string fifo = std::string(name) + "/kmsg";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int with_fifo = OpenWith(fifo);
  const int with_null = OpenWith("/dev/null");
  std::filesystem::remove_all(name);
  if (with_fifo == kCannotMount) GTEST_SKIP() << "needs root to mount over " << kKernelLogPath;
  EXPECT_EQ(with_fifo, kRefused);
  EXPECT_EQ(with_null, kRefused);
}

}  // namespace
}  // namespace gp
