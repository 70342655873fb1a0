#include "application/agent/mps_conversation.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gp {
namespace {

constexpr size_t kAnswerMax = 64 << 10;

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Reads what is available; drops bytes beyond `max`, so that the writer never blocks.
void Drain(int fd, std::string& text, size_t max) {
  char buffer[4'096];
  ssize_t got = 0;
  while ((got = read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, std::min(static_cast<size_t>(got), max - std::min(max, text.size())));
  }
}

}  // namespace

Result<std::unique_ptr<MpsConversation>> MpsConversation::Begin(AttemptRunner& runner,
                                                                const std::string& daemon,
                                                                const std::string& program,
                                                                const std::string& commands) {
  ExecSpec spec;
  spec.argv = {program};
  std::unique_ptr<MpsConversation> begun(new MpsConversation(GP_TRY(runner.Exec(daemon, spec))));
  ExecStreams& streams = begun->streams_;
  for (const int fd : {streams.output, streams.errors, streams.exit_status})
    fcntl(fd, F_SETFL, O_NONBLOCK);
  // Some hundred bytes fit into the empty pipe.
  const bool sent = write(streams.input, commands.data(), commands.size()) ==
                    static_cast<ssize_t>(commands.size());
  if (!sent)
    return Fail(Internal("the control program of MPS does not read its input: " +
                         std::string(std::strerror(errno))));
  Close(streams.input);
  return begun;
}

MpsConversation::~MpsConversation() {
  for (int* fd : {&streams_.input, &streams_.output, &streams_.errors, &streams_.exit_status})
    Close(*fd);
}

bool MpsConversation::Advance() {
  if (has_ended_) return true;
  int32_t exit_code = 0;
  // Checked before reading, so that output written before the end is not missed.
  const ssize_t got = read(streams_.exit_status, &exit_code, sizeof exit_code);
  const bool runs = got < 0 && errno == EAGAIN;
  std::string errors;
  Drain(streams_.output, answer_, kAnswerMax);
  Drain(streams_.errors, errors, kAnswerMax);
  if (runs) return false;
  has_ended_ = true;
  if (got == sizeof exit_code) exit_code_ = exit_code;
  return true;
}

}  // namespace gp
