#include "adapters/inbound/api/streams/touched_objects.h"

#include <algorithm>
#include <array>
#include <concepts>

namespace gp {
namespace {

constexpr std::array kKindNames = {"job", "node", "queue", "reservation", "incident"};

}  // namespace

const char* Name(FeedKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::optional<FeedKind> ParseFeedKind(std::string_view text) {
  const auto found = std::ranges::find(kKindNames, text);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<FeedKind>(found - kKindNames.begin());
}

void TouchedObjects::Begin(const State& state) {
  live_.clear();
  for (const auto& [id, lease] : state.leases.all) live_[id.value] = {lease.job, lease.node};
}

void TouchedObjects::AddLease(LeaseId lease) {
  const auto found = live_.find(lease.value);
  if (found == live_.end()) return;
  Add(FeedKind::kJob, found->second.job.value);
  Add(FeedKind::kNode, found->second.node.value);
}

template <typename E>
void TouchedObjects::AddWhatIsNamed(const E& event) {
  if constexpr (requires {
                  { event.job } -> std::convertible_to<JobId>;
                })
    Add(FeedKind::kJob, event.job.value);
  if constexpr (requires {
                  { event.node } -> std::convertible_to<NodeId>;
                })
    Add(FeedKind::kNode, event.node.value);
  if constexpr (requires {
                  { event.incident } -> std::convertible_to<IncidentId>;
                }) {
    if (event.incident.value != 0) Add(FeedKind::kIncident, event.incident.value);
  }
}

void TouchedObjects::Note(const GangPlaced& event) {
  AddWhatIsNamed(event);
  for (const Lease& lease : event.leases) {
    live_[lease.id.value] = {lease.job, lease.node};
    Add(FeedKind::kNode, lease.node.value);
  }
}

// Its GPUs are free again, which lists of nodes show.
void TouchedObjects::Note(const LeaseEnded& event) {
  AddLease(event.lease);
  live_.erase(event.lease.value);
}

std::span<const FeedObject> TouchedObjects::Of(std::span<const Event> record) {
  touched_.clear();
  for (const Event& event : record) {
    std::visit([this](const auto& one) { Note(one); }, event);
  }
  std::ranges::sort(touched_);
  touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
  return touched_;
}

}  // namespace gp
