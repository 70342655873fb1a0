#pragma once

// The supervisor's connection to the agent: one at a time; a new one replaces the old one, which
// belongs to an agent that died.  Only the supervisor's own user may connect.

#include <optional>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "supervisor/records/control_message.h"

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
  // The next request; nullopt: there is none now.
  std::optional<ControlMessage> Receive();

  // Sends the status; if the agent does not read, TellRest sends the newest one later.
  void Tell(const AttemptStatus& status);
  bool has_unsent() const { return unsent_.has_value(); }
  // REQUIRES: connection() is writable.
  void TellRest();
  // The kernel duplicates the descriptors; the caller keeps its own.
  void Answer(const ExecAnswer& answer, const std::vector<int>& descriptors);

 private:
  Descriptor listener_;
  Descriptor connection_;
  std::optional<AttemptStatus> unsent_;
};

}  // namespace gp
