#include "rsh/session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

#include <utility>

#include "rsh/frame.h"
#include "rsh/io.h"

namespace gp::rsh {
namespace {

constexpr size_t kOutputMax = 256 << 10;
constexpr int kLastWordsSeconds = 10;
constexpr int kReapMs = 100;  // for the end of a program that closed its output before

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) Fail("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

class Session {
 public:
  Session(int fd, const std::string& command) : fd_(fd) {
    Pipe input;
    Pipe output;
    Pipe errors;
    program_ = fork();
    if (program_ < 0) Fail("no process for the command");
    if (program_ == 0) {
      dup2(input.read_end, 0);
      dup2(output.write_end, 1);
      dup2(errors.write_end, 2);
      RestoreSignals();
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      Say("/bin/sh cannot be executed");
      _exit(127);
    }
    close(input.read_end);
    close(output.write_end);
    close(errors.write_end);
    input_ = input.write_end;
    output_ = output.read_end;
    errors_ = errors.read_end;
    MakeNonBlocking(input_);
    MakeNonBlocking(fd_);
  }

  int Run() {
    while (true) {
      if (!has_ended_) Reap();
      // What daemons hold open after the program's end is not waited for.
      if (has_ended_ && Drain()) break;
      if (!Turn()) {
        kill(program_, SIGTERM);
        return kCannot;
      }
    }
    out_ += Encode(Kind::kExit, std::string(1, static_cast<char>(code_)));
    MakeBlocking(fd_);
    const bool is_told = WriteAll(fd_, out_);
    CloseAfterLast(fd_, kLastWordsSeconds);
    return is_told ? 0 : kCannot;
  }

 private:
  // False: the other end is gone.
  bool Turn() {
    const bool takes_output = out_.size() < kOutputMax;
    pollfd fds[4] = {{fd_,
                      static_cast<short>((to_program_.size() < kOutputMax ? POLLIN : 0) |
                                         (out_.empty() ? 0 : POLLOUT) | POLLRDHUP),
                      0},
                     {takes_output ? output_ : -1, POLLIN, 0},
                     {takes_output ? errors_ : -1, POLLIN, 0},
                     {to_program_.empty() ? -1 : input_, POLLOUT, 0}};
    poll(fds, 4, kReapMs);
    if ((fds[0].revents & POLLRDHUP) != 0) return false;
    if (fds[1].revents != 0) TakeOutput(output_, Kind::kOutput);
    if (fds[2].revents != 0) TakeOutput(errors_, Kind::kErrors);
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !TakeFrames()) return false;
    FeedProgram();
    return WriteSome(fd_, out_);
  }

  void TakeOutput(int& from, Kind kind) {
    std::string bytes;
    const bool is_open = ReadSome(from, bytes);
    if (!bytes.empty()) out_ += Encode(kind, bytes);
    if (!is_open) Close(from);
  }

  bool TakeFrames() {
    const bool is_open = ReadSome(fd_, in_);
    while (const auto frame = TakeFrame(in_)) {
      if (frame->kind == Kind::kInput) to_program_ += frame->bytes;
      if (frame->kind == Kind::kInputEnd) is_input_over_ = true;
    }
    return is_open && !IsTooLong(in_);
  }

  void FeedProgram() {
    if (input_ >= 0 && !WriteSome(input_, to_program_)) Close(input_);
    if (input_ < 0) to_program_.clear();
    if (is_input_over_ && to_program_.empty()) Close(input_);
  }

  void Reap() {
    int status = 0;
    if (waitpid(program_, &status, WNOHANG) != program_) return;
    has_ended_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (const int fd : {output_, errors_}) {
      if (fd >= 0) MakeNonBlocking(fd);
    }
  }

  // Takes the rest of the output that is there; true: all of it.
  bool Drain() {
    for (auto [fd, kind] : {std::pair<int*, Kind>{&output_, Kind::kOutput},
                            std::pair<int*, Kind>{&errors_, Kind::kErrors}}) {
      while (*fd >= 0) {
        const size_t before = out_.size();
        if (before >= kOutputMax) return false;
        TakeOutput(*fd, kind);
        if (out_.size() == before) break;
      }
    }
    return true;
  }

  static void Close(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }

  const int fd_;
  pid_t program_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  std::string in_;
  std::string out_;
  std::string to_program_;
  bool is_input_over_ = false;
  bool has_ended_ = false;
  int code_ = 0;
};

}  // namespace

int RunSession(const Job& job, const std::string& number, const std::string& command) {
  const int fd = ConnectToLeader(job, "session " + number);
  if (fd < 0) return kCannot;
  return Session(fd, command).Run();
}

}  // namespace gp::rsh
