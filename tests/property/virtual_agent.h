#pragma once

// An agent as the product's behaves, without its threads and sockets: it joins, reports all that
// it sees, takes the complete desired state, and lets Reconcile say what to do.  Each connection
// has an incarnation of its own, so that what an earlier one left behind is known to be stale.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "domain/node/reconcile.h"
#include "tests/property/physical_world.h"

namespace gp {

// What a controller tells an agent.
struct DownMessage {
  Instant answers_sent_at;  // of the newest message it has seen; ns == 0: no answer
  Duration lease_time;
  std::optional<NodeDesiredState> desired_state;
};

class VirtualAgent {
 public:
  VirtualAgent(std::shared_ptr<const NodeFacts> facts, PhysicalWorld& world)
      : facts_(std::move(facts)), world_(&world) {}

  // A new process of the agent.  Only what its supervisors keep is remembered; `wiped`: not even
  // that; the agent says so until the controller has acknowledged it.
  void Begin(bool wiped);
  JoinNode Connect();
  void Disconnect();
  // REQUIRES: the node's first join was accepted.
  ReportNode Report(const std::vector<GpuObservation>& gpus) const;
  void Take(Instant now, DownMessage message);

  // `ledger`: the node's facts, by whose positions desired states and reports name GPUs here.
  void JoinAccepted(NodeId node, std::shared_ptr<const NodeFacts> ledger);
  // REQUIRES: the machine is without power.
  void Rebuild(std::shared_ptr<const NodeFacts> facts) { facts_ = std::move(facts); }
  std::optional<NodeId> node() const { return node_; }
  const NodeFacts& facts() const { return *facts_; }
  uint64_t incarnation() const { return incarnation_; }

 private:
  void Act(Instant now);
  void CarryOut(Instant now, const NodeAction& action);
  const DesiredLease& DesiredLeaseFor(LeaseId lease) const;
  std::vector<LeaseObservation> Observations() const;
  // Starts it, unless the image of its job is to be fixed first: then rank 0 says what the tag
  // names.
  void OfferPorts();
  void Start(Instant now, const DesiredLease& desired);

  std::shared_ptr<const NodeFacts> facts_;   // what the machine is
  std::shared_ptr<const NodeFacts> ledger_;  // and what the ledger makes of it
  PhysicalWorld* world_;
  std::optional<NodeId> node_;
  uint64_t incarnation_ = 0;
  bool fresh_ = true;
  bool fresh_is_known_ = false;
  std::optional<NodeDesiredState> desired_state_;
  uint64_t newest_epoch_ = 0;
  Instant lease_until_;
  std::vector<LeaseId> declined_;
  std::map<LeaseId, StopOrder> stopped_;
  std::map<LeaseId, std::string> resolved_;  // digests of images, until their leases start
  std::map<LeaseId, int> offered_;           // first ports of blocks, while the ranks wait for them
  int offers_ = 0;
  std::vector<std::string> images_;  // digests of those that its layers are of, the last used last
};

}  // namespace gp
