#include "adapters/inbound/api/streams/change_feed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/text.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr std::array kNames = {"job", "node", "queue", "reservation", "incident"};

// The objects that a commit changed, each once.
struct Touched {
  std::set<JobId> jobs;
  std::set<NodeId> nodes;
  std::set<std::string> queues;
  std::set<std::string> reservations;
  std::set<IncidentId> incidents;

  void operator()(const QueueChanged& event) { queues.insert(event.queue.name); }
  void operator()(const QueueDeleted& event) { queues.insert(event.name); }
  void operator()(const NodesReserved& event) { reservations.insert(event.reservation.name); }
  void operator()(const ReservationEnded& event) { reservations.insert(event.name); }
  void operator()(const IncidentOpened& event) { incidents.insert(event.incident.id); }
  template <typename E>
  void operator()(const E& event) {
    if constexpr (requires { event.job; }) jobs.insert(event.job);
    if constexpr (requires { event.node; }) nodes.insert(event.node);
    if constexpr (requires { IncidentId(event.incident); }) incidents.insert(event.incident);
  }
};

void AddLeases(const State& state, const std::vector<Event>& events, Touched& touched) {
  const auto add = [&](LeaseId id) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr) return;
    touched.jobs.insert(lease->job);
    touched.nodes.insert(lease->node);
  };
  for (const Event& event : events) {
    if (const auto* started = std::get_if<LeaseStarted>(&event)) add(started->lease);
    if (const auto* placed = std::get_if<GangPlaced>(&event)) {
      for (const Lease& lease : placed->leases) touched.nodes.insert(lease.node);
    }
  }
}

Touched TouchedBy(const State& state, const std::vector<Event>& events) {
  Touched touched;
  for (const Event& event : events) std::visit(touched, event);
  AddLeases(state, events, touched);
  return touched;
}

void AddJobs(const State& state, const std::set<JobId>& ids, std::vector<StateChange>& changes) {
  for (const JobId id : ids) {
    const Job* job = state.FindJob(id);
    if (job == nullptr) continue;  // ended long ago and dropped
    changes.push_back({0, FeedKind::kJob, NameOf(*job), Name(job->state), job->queue, job->user});
  }
}

void AddNodes(const State& state, const std::set<NodeId>& ids, std::vector<StateChange>& changes) {
  for (const NodeId id : ids) {
    if (const Node* node = state.FindNode(id))
      changes.push_back({0, FeedKind::kNode, node->facts->name, Name(node->condition), {}, {}});
  }
}

void AddIncidents(const State& state, const std::set<IncidentId>& ids,
                  std::vector<StateChange>& changes) {
  for (const IncidentId id : ids) {
    const auto found = state.faults.incidents.find(id);
    if (found != state.faults.incidents.end())
      changes.push_back({0, FeedKind::kIncident, ToText(id), Name(found->second.state), {}, {}});
  }
}

// `present`: those that exist now, by name.
template <typename Map>
void AddNamed(FeedKind kind, const std::set<std::string>& names, const Map& present,
              std::vector<StateChange>& changes) {
  for (const std::string& name : names)
    changes.push_back({0, kind, name, present.contains(name) ? "PRESENT" : "", {}, {}});
}

// Without their numbers.
std::vector<StateChange> ChangesOf(const State& state, const Touched& touched) {
  std::vector<StateChange> changes;
  AddJobs(state, touched.jobs, changes);
  AddNodes(state, touched.nodes, changes);
  AddNamed(FeedKind::kQueue, touched.queues, state.queues.all, changes);
  AddNamed(FeedKind::kReservation, touched.reservations, state.reservations.all, changes);
  AddIncidents(state, touched.incidents, changes);
  return changes;
}

}  // namespace

const char* Name(FeedKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<FeedKind> ParseFeedKind(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<FeedKind>(found - kNames.begin());
}

std::string ToText(const FeedPlace& place) {
  return std::to_string(place.epoch) + "-" + std::to_string(place.number);
}

std::optional<FeedPlace> ParseFeedPlace(std::string_view text) {
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto epoch = ParseCount(text.substr(0, dash));
  const auto number = ParseCount(text.substr(dash + 1));
  if (!epoch || !number) return std::nullopt;
  return FeedPlace{static_cast<uint64_t>(*epoch), static_cast<uint64_t>(*number)};
}

FeedPlace ChangeFeed::End() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, last_};
}

ChangeFeed::Part ChangeFeed::After(const FeedPlace& place, size_t max) const {
  const std::lock_guard lock(mutex_);
  Part part;
  const uint64_t first = last_ + 1 - kept_.size();  // the oldest one held, or the next one
  part.missed = place.epoch != epoch_ || place.number > last_ || place.number + 1 < first;
  if (part.missed) {
    part.end = {epoch_, last_};
    return part;
  }
  const auto begin = kept_.begin() + static_cast<std::ptrdiff_t>(place.number + 1 - first);
  const auto end =
      begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(max), kept_.end() - begin);
  part.changes.assign(begin, end);
  part.end = {epoch_, place.number + part.changes.size()};
  return part;
}

bool ChangeFeed::Await(const FeedPlace& place, Duration timeout) const {
  std::unique_lock lock(mutex_);
  return grown_.wait_for(lock, std::chrono::nanoseconds(timeout.ns),
                         [&] { return place.epoch != epoch_ || place.number != last_; });
}

void ChangeFeed::OnCommit(const State& state, const CommittedRecords& committed) {
  std::vector<StateChange> changes = ChangesOf(state, TouchedBy(state, committed.events));
  {
    const std::lock_guard lock(mutex_);
    epoch_ = state.epoch;
    if (changes.empty()) return;
    for (StateChange& change : changes) {
      change.number = ++last_;
      kept_.push_back(std::move(change));
      if (kept_.size() > kept_max_) kept_.pop_front();
    }
  }
  grown_.notify_all();
  if (tell_) tell_();
}

bool MaySee(const Caller& caller, const StateChange& change) {
  if (change.kind != FeedKind::kJob) return caller.HasSomewhere(Role::kViewer);
  const Role role = caller.In(change.queue);
  return role >= Role::kViewer || (role >= Role::kUser && caller.Owns(change.user));
}

}  // namespace gp
