#include "supervisor/agent_link.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "supervisor/records/attempt_record.h"

namespace gp {

Status AgentLink::Open(Descriptor connection) {
  connection_ = std::move(connection);
  listener_.Reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_.valid()) return Fail(SystemError("cannot make the control socket", errno));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, kControlSocket);
  unlink(kControlSocket);
  const mode_t mask = umask(0177);
  const int bound = bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0 || listen(listener_.get(), 4) != 0) {
    return Fail(SystemError("cannot listen at the control socket", errno));
  }
  return Ok();
}

void AgentLink::Accept() {
  Descriptor peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred who = {};
  socklen_t size = sizeof who;
  if (!peer.valid() || getsockopt(peer.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return;
  if (who.uid != geteuid()) return;
  connection_ = std::move(peer);
}

std::optional<ControlMessage> AgentLink::Receive() {
  if (!connection_.valid()) return std::nullopt;
  ReceivedMessage received;
  switch (ReceiveMessage(connection_.get(), received)) {
    case ReceiveOutcome::kMessage: return std::move(received.message);
    case ReceiveOutcome::kClosed: connection_.Reset(); break;
    case ReceiveOutcome::kNothing: break;
  }
  return std::nullopt;
}

void AgentLink::Tell(const AttemptStatus& status) {
  unsent_ = status;
  TellRest();
}

void AgentLink::TellRest() {
  if (!unsent_.has_value()) return;
  if (!connection_.valid()) {
    unsent_.reset();
    return;
  }
  const SendOutcome outcome = SendMessage(connection_.get(), StatusReport{*unsent_});
  if (outcome == SendOutcome::kFull) return;
  if (outcome == SendOutcome::kClosed) connection_.Reset();
  unsent_.reset();
}

void AgentLink::Answer(const ExecAnswer& answer, const std::vector<int>& descriptors) {
  if (!connection_.valid()) return;
  if (SendMessage(connection_.get(), answer, descriptors) == SendOutcome::kClosed) {
    connection_.Reset();
  }
}

}  // namespace gp
