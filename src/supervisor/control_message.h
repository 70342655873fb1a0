#pragma once

// What the agent and a supervisor say to each other over the attempt's control socket: one message
// per packet (SOCK_SEQPACKET), descriptors beside it.  The agent renews, stops, execs and discards;
// the supervisor tells its status at once and at each change, and answers every exec.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ports/outbound/attempt_runner.h"
#include "supervisor/packet.h"

namespace gp {

struct RenewRequest {
  int64_t lease_deadline_boot_ns = 0;
};
struct StopRequest {
  Duration grace;
};
struct ExecRequest {
  uint64_t id = 0;  // comes back in the answer
  ExecSpec spec;
};
// What is there is not needed any more: to be removed, but only below the directory.
struct DiscardRequest {
  std::string directory;
  std::vector<std::string> paths;
};
// Descriptors beside it: input, output, errors (not with a pty), exit status; none after an error.
struct ExecAnswer {
  uint64_t id = 0;
  std::string error;  // empty: started
  bool pty = false;
};
struct StatusReport {
  AttemptStatus status;
};

using ControlMessage =
    std::variant<RenewRequest, StopRequest, ExecRequest, ExecAnswer, StatusReport, DiscardRequest>;

std::string EncodeMessage(const ControlMessage& message);
Result<ControlMessage> DecodeMessage(std::string_view bytes);

// Never blocks, never raises SIGPIPE.  kFull: the other side does not read.
SendOutcome SendMessage(int socket, const ControlMessage& message,
                        const std::vector<int>& descriptors = {});

struct ReceivedMessage {
  ControlMessage message;
  std::vector<Descriptor> descriptors;
};
// Never blocks.  What cannot be decoded (a newer peer's message) is skipped.
ReceiveOutcome ReceiveMessage(int socket, ReceivedMessage& received);

}  // namespace gp
