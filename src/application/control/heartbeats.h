#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// The period in which agents send heartbeats: short where there are few nodes, because an agent
// that gets no answer looks for another controller; longer where a controller would have to answer
// very many; and in any case several per lease time.
Duration HeartbeatEvery(Duration lease_time, size_t nodes);

// When each node was last heard, and which nodes count as lost.  A heartbeat renews the leases of
// its node on the thread that received it; the writer is not asked.  So a node is marked as lost
// here before the writer decides the loss, and stays so until its return is durable.  Times are
// boot times.  Any thread may call it, except where a function names the writer.
class Heartbeats {
 public:
  // A gap of `asleep_min` between two calls of TakeSilent means that the process was suspended.
  explicit Heartbeats(Duration asleep_min) : asleep_min_(asleep_min) {}

  // The controller begins: the timeout of every node starts now.
  void Begin(const State& state, int64_t boot_ns);
  // A message of the node has come, which the writer handles.
  void Hear(NodeId node, int64_t boot_ns);
  // A heartbeat of the node has come.  True: it renews the node's leases; false: the node counts as
  // lost.
  bool Renew(NodeId node, int64_t boot_ns);

  // Nodes that are up, and were not heard for longer than `lease_time`.  They count as lost from
  // now on.  The writer calls it.
  std::vector<NodeId> TakeSilent(const State& state, int64_t boot_ns);
  // For how long the process was suspended before the last TakeSilent; 0: it was not.
  Duration slept() const { return slept_; }
  // Durable changes, in order.  The writer calls it.
  void OnCommit(const std::vector<Event>& events);

 private:
  struct Heard {
    int64_t at_ns = 0;
    bool is_lost = false;
  };
  void ForgiveOwnSleep(int64_t boot_ns);
  bool HasHeardBetween(int64_t from_boot_ns, int64_t to_boot_ns) const;

  const Duration asleep_min_;
  // The writer's: the time of the last look, and the time before which no timeout is possible
  int64_t looked_at_ns_ = 0;
  int64_t no_expiry_before_ns_ = 0;
  Duration slept_;
  std::mutex mutex_;  // guards heard_
  std::map<NodeId, Heard> heard_;
};

}  // namespace gp
