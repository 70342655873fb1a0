#include "adapters/outbound/images/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "tests/support/scratch.h"

namespace gp {
namespace {

// What a confined process, in a process of its own, finds out.
bool IsTrueConfined(bool (*question)(const char* path), const std::string& path) {
  const pid_t child = fork();
  if (child == 0) _exit(ConfineReader() && question(path.c_str()) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool IsRefused(long answer) { return answer < 0 && errno == ENOSYS; }

TEST(AReader, ReadsFiles) {
  const Scratch scratch;
  std::ofstream(scratch.In("file")) << "x";
  EXPECT_TRUE(IsTrueConfined(
      [](const char* path) {
        char byte = 0;
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        return read(file, &byte, 1) == 1 && byte == 'x';
      },
      scratch.In("file")));
}

TEST(AReader, ChangesNoFile) {
  const Scratch scratch;
  std::ofstream(scratch.In("file")) << "x";
  EXPECT_TRUE(IsTrueConfined(
      [](const char* path) {
        bool refused = true;
        for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT})
          refused = refused && IsRefused(open(path, flags | O_CLOEXEC, 0600));
        return refused && IsRefused(unlink(path)) && IsRefused(mkdir("/tmp/d", 0700)) &&
               IsRefused(chmod(path, 0777)) && IsRefused(rename(path, "/tmp/f"));
      },
      scratch.In("file")));
}

TEST(AReader, HasNoNetworkNoDevicesAndNoOtherProcesses) {
  EXPECT_TRUE(IsTrueConfined(
      [](const char*) {
        return IsRefused(socket(AF_INET, SOCK_STREAM, 0)) &&
               IsRefused(socket(AF_UNIX, SOCK_STREAM, 0)) && IsRefused(ioctl(0, TIOCSTI, "x")) &&
               IsRefused(syscall(SYS_clone, SIGCHLD, nullptr)) && IsRefused(kill(getppid(), 0));
      },
      ""));
}

}  // namespace
}  // namespace gp
