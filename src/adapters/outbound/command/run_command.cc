#include "adapters/outbound/command/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>

extern char** environ;

namespace gp {
namespace {

constexpr size_t kOutputMax = 4'096;

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What it wrote until it closed its output, or until the time was over (then false).
bool ReadAll(int pipe, int64_t until_ms, int stop_fd, std::string& output) {
  while (true) {
    const int64_t left = until_ms - NowMs();
    if (left <= 0) return false;
    pollfd descriptors[] = {{pipe, POLLIN, 0}, {stop_fd, POLLIN, 0}};
    poll(descriptors, 2, static_cast<int>(std::min<int64_t>(left, 1'000)));
    if (descriptors[1].revents != 0) return false;
    if (descriptors[0].revents == 0) continue;
    char buffer[1'024];
    const ssize_t got = read(pipe, buffer, sizeof buffer);
    if (got <= 0) return true;
    output.append(buffer, std::min(static_cast<size_t>(got), kOutputMax - std::min(output.size(), kOutputMax)));
  }
}

// False: it still runs at that time.
bool AwaitEnd(pid_t pid, int64_t until_ms, int& status) {
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (NowMs() >= until_ms) return false;
    poll(nullptr, 0, 2);
  }
  return true;
}

// A file in memory with these bytes, to be read from its beginning; -1: errno says why.  A pipe would block, or kill
// whoever writes into it, where the command does not read.
int FileWith(std::string_view bytes) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  for (size_t at = 0; file >= 0 && at < bytes.size();) {
    const ssize_t wrote = pwrite(file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (wrote <= 0) {
      close(file);
      return -1;
    }
    at += static_cast<size_t>(wrote);
  }
  return file;
}

}  // namespace

CommandEnd RunCommand(std::vector<std::string> words, Duration time_limit, int stop_fd, std::string_view input) {
  int ends[2];
  if (words.empty()) return {false, "there is no command for it"};
  const int in = FileWith(input);
  if (in < 0) return {false, std::strerror(errno)};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    close(in);
    return {false, std::strerror(errno)};
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  close(ends[1]);
  CommandEnd end;
  if (error != 0) {
    close(ends[0]);
    return {false, words[0] + ": " + std::strerror(error)};
  }
  const int64_t until_ms = NowMs() + time_limit.ns / 1'000'000;
  int status = 0;
  const bool in_time = ReadAll(ends[0], until_ms, stop_fd, end.output) && AwaitEnd(pid, until_ms, status);
  close(ends[0]);
  while (!end.output.empty() && end.output.back() == '\n') end.output.pop_back();
  if (!in_time) {
    kill(pid, SIGKILL);
    (void)AwaitEnd(pid, NowMs() + 200, status);
    return {false, words[0] + " did not end within " + ToText(time_limit)};
  }
  end.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!end.ok && end.output.empty()) end.output = words[0] + " failed";
  return end;
}

}  // namespace gp
