#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "domain/node/gpu_places.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The next message to one connected agent: the newest acknowledgement and the latest desired state,
// which replace earlier ones.  Any thread may fill it; the connection's transport empties it.
class NodeOutbox {
 public:
  // `epoch`: of this controller.  `places`: how the agent numbers its GPUs; the desired state is
  // translated to it.
  NodeOutbox(uint64_t epoch, GpuPlaces places) : epoch_(epoch), places_(std::move(places)) {}

  void Acknowledge(uint64_t number, Duration lease_time, Duration heartbeat_every);
  // Wakes nobody.  `renews`: whether it renews the node's leases.
  void AnswerHeartbeat(uint64_t number, bool renews);
  // Tells the transport that there is something to take.
  void Wake();
  void SetDesiredState(NodeDesiredState desired);
  void OpenChannel(uint64_t channel);
  void Close();

  // nullopt: closed.
  std::optional<ControllerNews> Take();
  // As NodeExchange::WhenNews.
  void WhenFilled(WakeTransport wake);

 private:
  template <typename Change>
  void Add(Change change);

  const uint64_t epoch_;
  const GpuPlaces places_;
  std::mutex mutex_;
  ControllerNews next_;
  Duration lease_time_;  // of the newest acknowledgement
  bool closed_ = false;
  std::shared_ptr<const WakeTransport> wake_;  // nullptr: nobody waits, or it is closed
  uint64_t revision_ = 0;
};

}  // namespace gp
