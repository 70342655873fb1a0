#pragma once

// The supervisor's conversation with whichever agent is there: one connection at a time, the newest
// wins (the one before belongs to an agent that died).  Only our own user may connect.

#include <optional>
#include <vector>

#include "base/result.h"
#include "supervisor/control_message.h"
#include "supervisor/descriptor.h"

namespace gp {

class AgentLink {
 public:
  // Listens at the control socket of the attempt's directory, which must be the working directory.
  // `connection` is inherited from the agent that starts us.
  Status Open(Descriptor connection);

  int listener() const { return listener_.get(); }
  int connection() const { return connection_.get(); }  // -1: no agent there
  // REQUIRES: listener() is readable.
  void Accept();
  // The next request; nullopt: none now.
  std::optional<ControlMessage> Receive();

  // Tells the status now or, when the agent does not read, the then newest later.
  void Tell(const AttemptStatus& status);
  bool has_unsent() const { return unsent_.has_value(); }
  // REQUIRES: connection() is writable.
  void TellRest();
  // Descriptors are duplicated by the kernel; the caller keeps its own.
  void Answer(const ExecAnswer& answer, const std::vector<int>& descriptors);

 private:
  Descriptor listener_;
  Descriptor connection_;
  std::optional<AttemptStatus> unsent_;
};

}  // namespace gp
