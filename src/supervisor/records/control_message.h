#pragma once

// Messages between the agent and a supervisor over the attempt's control socket: one per packet
// (SOCK_SEQPACKET), with descriptors attached.  The agent sends renew, stop, exec and discard
// requests; the supervisor sends its status at once and at each change, and answers every exec.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ports/outbound/attempt_runner.h"
#include "supervisor/records/packet.h"

namespace gp {

struct RenewRequest {
  int64_t lease_deadline_boot_ns = 0;
};
struct StopRequest {
  Duration grace;
};
struct ExecRequest {
  uint64_t id = 0;  // repeated in the answer
  ExecSpec spec;
};
// Paths to remove, but only below the directory.
struct DiscardRequest {
  std::string directory;
  std::vector<std::string> paths;
};
// Attached descriptors: input, output, errors (not with a pty), exit status; none after an error.
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
// Never blocks.  Skips messages that cannot be decoded (of a newer peer).
ReceiveOutcome ReceiveMessage(int socket, ReceivedMessage& received);

}  // namespace gp
