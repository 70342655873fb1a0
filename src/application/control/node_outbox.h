#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "domain/node/gpu_places.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// The next message to one connected agent: the newest acknowledgement and the latest desired state,
// which replace earlier ones.  The writer's thread and the connection's thread fill it; one thread
// empties it.
class NodeOutbox {
 public:
  // `places`: how the agent numbers its GPUs; the desired state is translated to it.
  explicit NodeOutbox(GpuPlaces places) : places_(std::move(places)) {}

  void Acknowledge(uint64_t number, Duration lease_time);
  void SetDesiredState(NodeDesiredState desired);
  void OpenChannel(uint64_t channel);
  void Close();

  // nullopt: closed.
  std::optional<ControllerNews> Await();
  std::optional<ControllerNews> Take();

 private:
  template <typename Change>
  void Add(Change change);
  ControllerNews TakeLocked();

  const GpuPlaces places_;
  std::mutex mutex_;
  std::condition_variable filled_;
  ControllerNews next_;
  bool pending_ = false;
  bool closed_ = false;
  uint64_t revision_ = 0;
};

}  // namespace gp
