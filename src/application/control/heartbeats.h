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
  // A gap of `deaf_min` between two calls of Listened means that messages were not read: the
  // process was suspended, or is overloaded.
  explicit Heartbeats(Duration deaf_min) : deaf_min_(deaf_min) {}

  // The controller begins: the timeout of every node starts now.
  void Begin(const State& state, int64_t boot_ns);
  // A message of the node has come, which the writer handles.
  void Hear(NodeId node, int64_t boot_ns);
  // A heartbeat of the node has come.  True: it renews the node's leases; false: the node counts as
  // lost.
  bool Renew(NodeId node, int64_t boot_ns);

  // All messages that had come until then have been heard.  Time in which nobody listened is no
  // silence of the nodes.
  void Listened(int64_t boot_ns);
  // For how long messages have waited unread; 0: they are read as they come.
  Duration DeafFor(int64_t boot_ns) const;
  // Gaps without Listened since the last call, which do not count as silence; 0: none.
  Duration TakeForgiven();

  // Nodes that are up, and were not heard for longer than `lease_time`.  They count as lost from
  // now on.  The writer calls it.
  std::vector<NodeId> TakeSilent(const State& state, int64_t boot_ns);
  // Durable changes, in order.  The writer calls it.
  void OnCommit(const std::vector<Event>& events);

 private:
  struct Heard {
    int64_t at_ns = 0;
    bool is_lost = false;
  };

  const Duration deaf_min_;
  int64_t no_expiry_before_ns_ = 0;  // the writer's: no timeout is possible before
  mutable std::mutex mutex_;         // guards all below
  int64_t listened_ns_ = 0;
  Duration forgiven_;
  std::map<NodeId, Heard> heard_;
};

}  // namespace gp
