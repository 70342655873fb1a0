// A fake nvidia-cuda-mps-control: the daemon with -d or -f, otherwise the control program that
// reads commands.

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fakes/mps/mps_control.h"

namespace gp {
namespace {

std::string Directory() {
  const char* given = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  return given == nullptr || *given == '\0' ? "/tmp/nvidia-mps" : given;
}

int RunDaemon(bool in_background) {
  std::signal(SIGPIPE, SIG_IGN);
  mkdir(Directory().c_str(), 0700);
  FakeMpsControl control(Directory());
  if (!control.Listen()) {
    std::cerr << "cannot listen in " << Directory() << ": " << std::strerror(errno) << "\n";
    return 1;
  }
  // The exit of the parent shows that the daemon listens.
  if (in_background && daemon(0, 0) != 0) return 1;
  return control.Run();
}

int RunProgram() {
  std::signal(SIGPIPE, SIG_IGN);
  const int fd = ConnectTo(Directory() + "/control");
  if (fd < 0) {
    std::cerr << "Cannot find MPS control daemon process\n";
    return 1;
  }
  LineReader reader(fd);
  for (std::string line; std::getline(std::cin, line);) {
    if (Words(line).empty()) continue;
    const auto answer = Ask(reader, line);
    if (!answer) return 1;
    if (*answer != "-") std::cout << *answer << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace gp

int main(int count, char** words) {
  const std::string flag = count > 1 ? words[1] : "";
  if (flag.empty()) return gp::RunProgram();
  if (flag == "-d" || flag == "-f") return gp::RunDaemon(flag == "-d");
  std::cerr << "usage: nvidia-cuda-mps-control [-d | -f]\n";
  return 2;
}
