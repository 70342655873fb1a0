#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

enum class FeedKind : uint8_t { kJob, kNode, kQueue, kReservation, kIncident };
const char* Name(FeedKind kind);
std::optional<FeedKind> ParseFeedKind(std::string_view text);
// Such objects are known by their names, all others by their ids.
constexpr bool HasName(FeedKind kind) {
  return kind == FeedKind::kQueue || kind == FeedKind::kReservation;
}

// An object of which watchers receive changes.
struct FeedObject {
  FeedKind kind = FeedKind::kJob;
  uint64_t id = 0;   // unless HasName
  std::string name;  // if HasName
  auto operator<=>(const FeedObject&) const = default;
};

// Which objects each record touches.  The answer follows from the records alone, never from the
// state, which may be several records ahead: each controller gives the same, in the same order.
//
// Some events name a lease and neither its job nor its node.  Both are in the GangPlaced that gave
// the lease, and never change; the lease is live until its LeaseEnded, and no event names one that
// is not live (domain/cluster/apply/assert_lease.cc).  So the live leases of any state, followed
// through the records after it, have each lease that those records name, wherever one begins.
//
// One thread at a time.
class TouchedObjects {
 public:
  // The next record is the first after this state.
  void Begin(const State& state);
  // Of the next record: each object once, by kind, id and name.  Valid until the next call.
  std::span<const FeedObject> Of(std::span<const Event> record);

 private:
  struct Holding {
    JobId job;
    NodeId node;
  };

  void Add(FeedKind kind, uint64_t id) { touched_.push_back({kind, id, {}}); }
  void Add(FeedKind kind, const std::string& name) { touched_.push_back({kind, 0, name}); }
  void AddLease(LeaseId lease);
  template <typename E>
  void AddWhatIsNamed(const E& event);
  void Note(const GangPlaced& event);
  void Note(const LeaseStarted& event) { AddLease(event.lease); }
  void Note(const LeaseEnded& event);
  void Note(const QueueChanged& event) { Add(FeedKind::kQueue, event.queue.name); }
  void Note(const QueueDeleted& event) { Add(FeedKind::kQueue, event.name); }
  void Note(const NodesReserved& event) { Add(FeedKind::kReservation, event.reservation.name); }
  void Note(const ReservationEnded& event) { Add(FeedKind::kReservation, event.name); }
  void Note(const IncidentOpened& event) { Add(FeedKind::kIncident, event.incident.id.value); }
  // It ended long ago, and watchers have received its end.
  void Note(const JobForgotten&) {}
  template <typename E>
  void Note(const E& event) {
    AddWhatIsNamed(event);
  }

  std::unordered_map<uint64_t, Holding> live_;  // by lease
  std::vector<FeedObject> touched_;             // by the record that is read
};

}  // namespace gp
