#pragma once

// What really runs where: the truth that the ledger never sees.  Programs run under supervisors
// that obey their leases; each start is checked against everything that runs at that instant.
// Nothing here asks the ledger, so a ledger that is wrong shows.

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "domain/cluster/command.h"
#include "domain/node/desired_state.h"

namespace gp {

// One attempt's rank on one node, from its start to the end of its records.
struct Program {
  DesiredLease desired;
  Instant started_at;
  Instant lease_until;
  Duration lease_end_time;  // what its supervisor takes to end it when the lease is over
  Instant over_at;          // when a stop that was ordered will have ended it; ns == 0: none
  LeaseOutcome ending;      // how it will have ended then
  bool was_started = false;
  bool is_alive = false;
  bool is_known = false;    // its node still has a record of it
  bool lost_lease = false;  // it stays lost, whatever is renewed
  bool is_hung = false;     // it will say no more
  RankUse use;              // as its node counts it
  Instant metered_at;
  int busy_percent = 0;  // of its GPUs
  std::vector<Checkpoint> checkpoints;
};

class PhysicalWorld {
 public:
  PhysicalWorld(Rng& rng, const Policy& policy) : rng_(rng), policy_(policy) {}

  // Ends what ends by itself until then: stops that are due, leases that ran out.
  void AdvanceTo(Instant now);

  // The agent starts a program.  A lease that is over already starts nothing.
  void Start(Instant now, const DesiredLease& desired, const NodeFacts& facts, Instant lease_until);
  void Renew(LeaseId lease, Instant until);
  void Stop(Instant now, LeaseId lease, Duration grace);
  void Exit(Instant now, LeaseId lease, int code, const LogClues& clues = {});
  // A running program has written something to go on from; sometimes not all of it.
  void SaveCheckpoint(Instant now, LeaseId lease);
  // They are removed; whoever goes on from one of them finds nothing.
  void Discard(const std::vector<std::string>& paths);
  void Hang(LeaseId lease) { Of(lease).is_hung = true; }
  // Every program of the node is gone.
  void PowerOff(Instant now, NodeId node);
  // Nothing is known of the node's programs any more.  REQUIRES: none of them runs.
  void WipeRecords(NodeId node);
  void Forget(LeaseId lease);

  Program& Of(LeaseId lease);
  const std::vector<LeaseId>& known_on(NodeId node);
  const std::vector<LeaseId>& alive() const { return alive_; }
  // Its node counts from zero: its agent was started again.
  void CountFromZero(Instant now, LeaseId lease);
  // What the node's supervisors would say.
  LeaseObservation Observe(LeaseId lease);

  const std::string& broken() const { return broken_; }

 private:
  static void Meter(Program& program, Instant now);
  void CheckStart(const DesiredLease& desired, const NodeFacts& facts);
  void CheckResume(const DesiredLease& desired);
  void CheckImage(const DesiredLease& desired);
  void CheckPorts(const DesiredLease& desired);
  void CheckAgainst(const Lease& mine, const User& user, const DesiredLease& other,
                    const NodeFacts& facts);
  void End(Program& program, Instant at, const LeaseOutcome& outcome);
  void Break(const std::string& what);

  Rng& rng_;
  const Policy& policy_;
  std::vector<Program> programs_;            // [lease id]
  std::vector<std::vector<LeaseId>> known_;  // [node id]
  std::vector<LeaseId> alive_;
  std::map<std::string, JobId> complete_;                 // checkpoints, by path
  std::map<std::pair<JobId, int>, std::string> resumed_;  // by attempt: where its ranks go on
  std::map<std::pair<JobId, int>, int> ports_;            // that attempts began with
  std::map<JobId, std::string> images_;                   // digests that jobs began with
  std::map<JobId, int64_t> known_step_;                   // from which a job has begun
  uint64_t checkpoints_ = 0;
  std::string broken_;
};

}  // namespace gp
