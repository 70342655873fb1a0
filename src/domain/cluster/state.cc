#include "domain/cluster/state.h"

#include <algorithm>

namespace gp {

QueueKey KeyOf(const Job& job) { return {1000 - job.spec->priority, job.id}; }

const Node* State::FindNode(NodeId id) const {
  return id.value < nodes.size() ? &nodes[id.value] : nullptr;
}

const Job* State::FindJob(JobId id) const {
  const auto it = jobs.find(id);
  return it == jobs.end() ? nullptr : &it->second;
}

const Lease* State::FindLease(LeaseId id) const {
  const auto it = leases.find(id);
  return it == leases.end() ? nullptr : &it->second;
}

std::string RequestKey(const User& user, const std::string& request_id) {
  return std::to_string(user.uid) + "/" + request_id;
}

Instant NextDeadline(const State& state) {
  Instant next{0};
  const auto consider = [&next](const auto& due) {
    if (due.empty()) return;
    const Instant at = due.begin()->first;
    if (next.ns == 0 || at < next) next = at;
  };
  consider(state.retries);
  consider(state.limits);
  consider(state.losses);
  return next;
}

}  // namespace gp
