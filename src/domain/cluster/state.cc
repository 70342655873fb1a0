#include "domain/cluster/state.h"

#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/preemption.h"

namespace gp {

QueueKey KeyOf(const Job& job) {
  // What it has had does not change while it waits.
  return {1000 - job.spec->priority, ServiceLevel(job, Instant{}), job.id};
}

QueueLine LineOf(const Job& job) {
  const Standing standing = StandingOf(job, Instant{});  // of one that waits: the same at all times
  return {ShapeOf(job), standing.job_class, standing.preemptible, standing.level};
}

void Enqueue(State& state, const Job& job) {
  state.queue.insert(KeyOf(job));
  state.lines[LineOf(job)].insert(KeyOf(job));
}

void Dequeue(State& state, const Job& job) {
  state.queue.erase(KeyOf(job));
  const auto line = state.lines.find(LineOf(job));
  GP_ASSERT(line != state.lines.end(), "a queued job stands in a line");
  line->second.erase(KeyOf(job));
  if (line->second.empty()) state.lines.erase(line);
}

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
