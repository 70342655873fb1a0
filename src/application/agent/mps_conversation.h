#pragma once

#include <memory>
#include <string>

#include "ports/outbound/attempt_runner.h"

namespace gp {

// One run of NVIDIA's control program, as another process of the daemon's attempt: it sends
// commands and collects the answer.  No call waits for the answer; Advance reads what has arrived.
// One thread (the agent's) calls it.
class MpsConversation {
 public:
  // `daemon`: the attempt's key.  Errors: those of AttemptRunner::Exec, kInternal (it does not
  // listen).
  static Result<std::unique_ptr<MpsConversation>> Begin(AttemptRunner& runner,
                                                        const std::string& daemon,
                                                        const std::string& program,
                                                        const std::string& commands);
  ~MpsConversation();
  MpsConversation(const MpsConversation&) = delete;
  MpsConversation& operator=(const MpsConversation&) = delete;

  // True: the control program has ended.
  bool Advance();
  bool ok() const { return has_ended_ && exit_code_ == 0; }
  const std::string& answer() const { return answer_; }  // at most 64 KiB of it
  int EventDescriptor() const { return streams_.exit_status; }

 private:
  explicit MpsConversation(ExecStreams streams) : streams_(streams) {}

  ExecStreams streams_;
  std::string answer_;
  bool has_ended_ = false;
  int exit_code_ = -1;
};

}  // namespace gp
