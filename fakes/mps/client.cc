// A fake program on a GPU with MPS: connects to the server of its pipe directory, allocates memory,
// and runs until a signal or its server ends it.  SIGUSR1 triggers a fatal error.
//
//   fake-mps-client [--unset] [MIB ...]     each number is one allocation
//
// Exit codes: 3: no server, 4: a fatal error of this or another client, 5: the server died, 6: an
// allocation was refused.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "fakes/mps/line_socket.h"

namespace gp {
namespace {

int signals[2];

void OnSignal(int) { (void)!write(signals[1], "x", 1); }

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Like a real client it waits until the server is ready.
int Connect(const std::string& directory) {
  for (int tries = 0; tries < 200; ++tries) {
    const int control = ConnectTo(directory + "/control");
    if (control < 0) return -1;
    LineReader reader(control);
    const auto server = Ask(reader, "connect");
    close(control);
    const bool has_server = server && server->find_first_not_of("0123456789") == std::string::npos;
    const int fd = has_server ? ConnectTo(directory + "/server") : -1;
    if (fd >= 0) {
      LineReader line(fd);
      const std::string limit = Variable("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
      const std::string memory = limit.starts_with("0=") ? limit.substr(2) : "0";
      const std::string percent = Variable("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
      const auto answer = Ask(line, "client " + (percent.empty() ? "0" : percent) + " " + memory);
      if (answer && answer->starts_with("ok")) {
        std::cout << "connected server=" << *server << answer->substr(2) << std::endl;
        return fd;
      }
      close(fd);
    }
    usleep(25'000);
  }
  return -1;
}

int Stay(LineReader& reader) {
  while (true) {
    pollfd fds[] = {{reader.fd(), POLLIN, 0}, {signals[0], POLLIN, 0}};
    poll(fds, 2, -1);
    if (fds[1].revents != 0) {
      char byte = 0;
      (void)!read(signals[0], &byte, 1);
      SendLine(reader.fd(), "fault");
    }
    if (fds[0].revents == 0) continue;
    if (!reader.Fill()) {
      std::cout << "the server died" << std::endl;
      return 5;
    }
    while (const auto line = reader.Next()) {
      if (*line != "fatal") continue;
      std::cout << "fatal" << std::endl;
      // A program learns of the error at its next call, after the driver has reported it.
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return 4;
    }
  }
}

int Run(int count, char** words) {
  if (pipe2(signals, O_CLOEXEC | O_NONBLOCK) != 0) return 3;
  std::signal(SIGUSR1, OnSignal);
  int first = 1;
  if (count > 1 && std::string(words[1]) == "--unset") {
    for (const char* name :
         {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"})
      unsetenv(name);
    first = 2;
  }
  const int fd = Connect(Variable("CUDA_MPS_PIPE_DIRECTORY"));
  if (fd < 0) {
    std::cout << "no server" << std::endl;
    return 3;
  }
  LineReader reader(fd);
  for (int i = first; i < count; ++i) {
    const auto answer = Ask(reader, std::string("allocate ") + words[i]);
    std::cout << (answer ? *answer : "the server died") << std::endl;
    if (!answer) return 5;
    if (*answer != "ok") return 6;
  }
  std::cout << "works" << std::endl;
  return Stay(reader);
}

}  // namespace
}  // namespace gp

int main(int count, char** words) { return gp::Run(count, words); }
