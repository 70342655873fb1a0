#include "rsh/client.h"

#include <poll.h>
#include <unistd.h>

#include "rsh/frame.h"
#include "rsh/io.h"

namespace gp::rsh {
namespace {

constexpr int kPipeClosed = 128 + 13;            // as if SIGPIPE had ended it
constexpr size_t kCommandMax = (128 << 10) - 1;  // of one argument, in Linux
constexpr size_t kInputMax = 256 << 10;          // bytes of input on their way

class Client {
 public:
  Client(int fd, const std::string& command) : fd_(fd), out_(Encode(Kind::kCommand, command)) {
    MakeNonBlocking(fd);
  }

  int Run() {
    while (code_ < 0) {
      const bool takes_input = has_input_ && out_.size() < kInputMax;
      pollfd fds[2] = {{fd_, static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT)), 0},
                       {takes_input ? 0 : -1, POLLIN, 0}};
      if (poll(fds, 2, -1) < 0) continue;
      if (fds[1].revents != 0) TakeInput();
      if (!WriteSome(fd_, out_)) StopInput();
      if (fds[0].revents != 0 && !TakeFrames()) break;
    }
    if (code_ < 0) Say("the connection to rank 0 was lost");
    return code_ < 0 ? kCannot : code_;
  }

 private:
  void TakeInput() {
    std::string bytes;
    has_input_ = ReadSome(0, bytes);
    if (!bytes.empty()) out_ += Encode(Kind::kInput, bytes);
    if (!has_input_) out_ += Encode(Kind::kInputEnd);
  }

  // The program does not want more of it; its last words are still to come.
  void StopInput() {
    out_.clear();
    has_input_ = false;
  }

  bool TakeFrames() {
    const bool is_open = ReadSome(fd_, in_);
    while (const auto frame = TakeFrame(in_)) {
      if (frame->kind == Kind::kOutput && !WriteAll(1, frame->bytes)) code_ = kPipeClosed;
      if (frame->kind == Kind::kErrors) WriteAll(2, frame->bytes);
      if (frame->kind == Kind::kExit && !frame->bytes.empty() && code_ < 0)
        code_ = static_cast<unsigned char>(frame->bytes[0]);
    }
    return is_open && !IsTooLong(in_);
  }

  const int fd_;
  std::string in_;
  std::string out_;
  bool has_input_ = true;
  int code_ = -1;
};

}  // namespace

int RunOn(const Job& job, const std::string& host, const std::string& command) {
  const int rank = RankOf(job, host);
  if (rank < 0) Fail(host + " is no node of this job");
  if (command.size() > kCommandMax) Fail("the command is longer than 131,071 bytes");
  const int fd = ConnectToLeader(job, "run " + std::to_string(rank));
  if (fd < 0)
    Fail("rank 0 does not answer on port " + std::to_string(job.port) + " of " + job.leader);
  return Client(fd, command).Run();
}

}  // namespace gp::rsh
