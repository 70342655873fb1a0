#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/outbound/link/agent_messages.h"
#include "domain/node/outgoing.h"
#include "gpu_platform/v1/node.pb.h"
#include "lib/sockets/dial.h"
#include "lib/sockets/frame_socket.h"
#include "lib/tls/certificate.h"
#include "ports/outbound/control_link.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// What the connections of an agent share.
struct LinkOptions {
  std::vector<std::string> addresses;  // "unix:PATH" or "HOST:PORT" of controllers; not empty
  std::string join_token;
  // CA certificate (PEM) that the controller's is checked against; empty: no encryption
  std::string authority;
  // The node's certificate now; it is renewed meanwhile.
  std::function<Identity()> identity;
  // Static facts of each GPU, sent with its readings.
  std::vector<GpuIdentity> gpus;
  // Opens a channel that the controller requests, on a thread of its own.
  std::function<void(const std::string& address, const v1::OpenChannel&)> open_channel;
};

// What a controller granted for the next connections with this certificate.
struct KeptResumption {
  std::string certificate;  // PEM; empty: nothing was granted
  TlsResumption resumption;
};

// One connection of an agent to a controller, from its probe until it breaks.  No call waits for
// the network: what cannot be sent at once is sent when the socket is ready.
class LinkConnection : public ControlConnection {
 public:
  // `epoll_fd` becomes readable when TakeNews is due; `wake_fd` is one of those that it watches.
  // All outlive it.
  struct Events {
    int epoll_fd;
    int wake_fd;
  };
  LinkConnection(const LinkOptions& options, const std::string& address, Events events,
                 KeptResumption& kept);
  ~LinkConnection() override;

  uint64_t Send(const JoinNode& join) override { return Post(ToMessage(join), false); }
  uint64_t Send(const AgentReport& report) override {
    return Post(ToMessage(report, options_.gpus), true);
  }
  uint64_t Send(const GpuNews& news) override { return Post(ToMessage(news), false); }
  uint64_t Send(const Heartbeat& heartbeat) override {
    return Post(ToMessage(heartbeat, options_.gpus), false);
  }
  uint64_t Send(const MetricParts& parts) override { return Post(ToMessage(parts), false); }
  LinkNews TakeNews() override;

 private:
  uint64_t Post(v1::AgentMessage message, bool replaces_reports);
  // Connects and sends as far as that is possible now.
  Status GoOn();
  Status Greet(Descriptor connected);
  Status SendWaiting();
  Status Receive();
  Status TakeMessage(std::string_view frame);
  void Break(const std::string& why);
  void BreakAfterLast(const std::string& why);
  // Polls for what is awaited now.
  void Await();
  void Watch(int descriptor, uint32_t events);

  const LinkOptions& options_;
  const std::string& address_;
  const Events events_;
  KeptResumption& kept_;
  std::string certificate_;            // that this connection presents
  std::optional<Dial> dial_;           // until it is connected
  std::optional<FrameSocket> socket_;  // from then on, until it is broken
  int watched_fd_ = -1;
  uint32_t watched_events_ = 0;
  Outgoing<v1::AgentMessage> outgoing_;
  uint64_t last_number_ = 0;
  LinkNews news_;
};

}  // namespace gp
