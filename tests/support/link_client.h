#pragma once

// An agent's end of a connection, for tests: it waits for what it does.

#include <poll.h>

#include <chrono>
#include <optional>
#include <string>

#include "adapters/wire/link_greeting.h"
#include "gpu_platform/v1/node.pb.h"
#include "lib/sockets/dial.h"
#include "lib/sockets/frame_socket.h"
#include "lib/tls/authority.h"

namespace gp {

namespace v1 = gpu_platform::v1;

class LinkClient {
 public:
  // `authority`: of the controller (PEM); empty: without TLS.
  LinkClient(const std::string& address, const std::string& join_token,
             const std::string& authority = "", const Identity& identity = {},
             const std::optional<TlsResumption>& granted = std::nullopt) {
    Dial dial(address);
    Result<std::optional<Descriptor>> connected = std::nullopt;
    while (connected && !*connected) connected = dial.GoOn();
    if (!connected) {
      ended_ = connected.error().message;
      return;
    }
    std::optional<TlsSide> tls;
    if (!authority.empty()) tls = TlsSide::Client(authority, kControllerName, identity).value();
    if (granted) tls = tls->Resuming(*granted);
    auto greeted = GreetController(**std::move(connected), tls ? &*tls : nullptr, join_token);
    if (greeted) socket_.emplace(*std::move(greeted));
    Check(greeted ? Ok() : Fail(greeted.error()));
  }

  // False: the connection is over.
  bool Write(const v1::AgentMessage& message) {
    if (!socket_ || !Check(socket_->Send(message.SerializeAsString()))) return false;
    while (socket_->has_unsent() || !socket_->is_open()) {
      if (!Check(socket_->Continue())) return false;
      if (socket_->has_unsent() || !socket_->is_open()) Await(!socket_->is_open());
    }
    return true;
  }
  // The next message; false: the connection is over, or nothing comes for twenty seconds.
  bool Read(v1::ControllerMessage* message) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (socket_ && std::chrono::steady_clock::now() < until) {
      if (const auto frame = socket_->NextFrame()) {
        message->ParseFromArray(frame->data(), static_cast<int>(frame->size()));
        if (!message->ended().empty()) ended_ = message->ended();
        return message->ended().empty() || message->foreign_to() != 0;
      }
      if (socket_->has_ended()) {
        if (ended_.empty()) ended_ = "closed";
        return false;
      }
      if (!Check(socket_->Continue())) return false;
      Await(true);
      if (!Check(socket_->Receive())) return false;
    }
    return false;
  }
  // Reads until the connection is over, and returns why.
  std::string Rest() {
    v1::ControllerMessage message;
    while (Read(&message)) {
    }
    return ended_;
  }
  void Close() { socket_.reset(); }

 private:
  bool Check(const Status& status) {
    if (!status && ended_.empty()) ended_ = status.error().message;
    return status.has_value();
  }
  void Await(bool reads) const {
    const short events =
        static_cast<short>((reads ? POLLIN : 0) | (socket_->awaits_write() ? POLLOUT : 0));
    pollfd ready{socket_->descriptor(), events, 0};
    poll(&ready, 1, 100);
  }

  std::optional<FrameSocket> socket_;
  std::string ended_;
};

}  // namespace gp
