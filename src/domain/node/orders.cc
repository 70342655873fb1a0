#include "domain/node/orders.h"

namespace gp {

NodeOrders OrdersFor(const State& state, NodeId node) {
  NodeOrders orders;
  orders.epoch = state.epoch;
  for (const LeaseId id : state.FindNode(node)->leases) {
    const Lease& lease = *state.FindLease(id);
    const Job& job = *state.FindJob(lease.job);
    LeaseOrder order{lease, job.spec, job.user, {}, {}};
    for (const RankRecord& rank : job.attempts.back().ranks) {
      order.node_names.push_back(state.FindNode(rank.node)->facts->name);
    }
    const NodeFacts& master = *state.FindNode(job.attempts.back().ranks.front().node)->facts;
    order.master_address = master.simulated ? "127.0.0.1" : master.name;
    orders.leases.push_back(std::move(order));
  }
  return orders;
}

}  // namespace gp
