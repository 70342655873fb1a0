#pragma once

#include <string>
#include <utility>
#include <vector>

#include "application/replication/replica.h"
#include "ports/inbound/control_gateway.h"
#include "ports/inbound/node_gateway.h"

namespace gp {

// A standby's state for readers, in place of the leader's.  It may be older than the leader's:
// Replica::Age.  Commands are refused with kUnavailable, and no node talks to it.
class ReplicaGateway : public ControlGateway, public NodeGateway {
 public:
  // Both outlive it.
  ReplicaGateway(Replica& replica, Clock& clock) : replica_(replica), clock_(clock) {}

  Outcome Execute(Origin origin, ClientRequest request, Command command) override;
  std::vector<Outcome> ExecuteAll(Origin origin,
                                  std::vector<std::pair<ClientRequest, Command>> commands,
                                  const Precondition& precondition) override;
  // Refused callers are dropped: a standby writes no audit trail.
  Status Post(Origin origin, Command command, WhenDone done) override;
  Status Read(const std::function<void(const State&)>& read) override {
    return replica_.Read(read);
  }
  // An answer of a standby rests on no lead: its age says what it is worth.
  void WhenProven(std::function<void()> then) override { then(); }
  bool IsAlone() const override { return true; }
  // Unknown: plans are not in the log.
  const Plan& NewestPlan() const override;
  void HeardFrom(NodeId) override {}
  bool Renew(NodeId) override { return false; }
  void Listened() override {}
  ControllerLoad Load() const override { return {}; }
  // None: its epoch is over whenever another controller leads.
  ControllerEpoch Epoch() const override { return {}; }
  Instant Now() override { return replica_.Now(); }
  Instant WallNow() override { return clock_.Now(); }

  Status Join(uint64_t number, JoinNode join, WhenJoined joined) override;
  ControllerEpoch Probe() const override { return {}; }
  Status OpenChannel(NodeId node, uint64_t channel) override;

 private:
  Replica& replica_;
  Clock& clock_;
};

}  // namespace gp
