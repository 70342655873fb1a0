#pragma once

// The cluster as a value.  Only Apply changes it; everything in it is ordered, so that two replays
// of one journal agree to the bit.  Each part holds values, and indexes that follow from them; the
// part keeps its own indexes where they follow from it alone, Apply keeps the others.
// CheckInvariants verifies them all.

#include <cstdint>
#include <string>

#include "domain/cluster/policy.h"
#include "domain/cluster/state/faults.h"
#include "domain/cluster/state/jobs.h"
#include "domain/cluster/state/leases.h"
#include "domain/cluster/state/nodes.h"
#include "domain/cluster/state/queues.h"
#include "domain/cluster/state/requests.h"
#include "domain/cluster/state/reservations.h"
#include "domain/metering/metering.h"
#include "domain/model/access.h"
#include "domain/model/time_line.h"

namespace gp {

struct State {
  Policy policy;
  TimeLine time;
  // Of the journal: it changes when the journal is started again or cut, because numbers given
  // since then mean other jobs and leases than before.
  uint64_t lineage = 0;
  // Nothing is placed before this instant: leases that a cut journal has lost must have expired.
  Instant quiet_until;
  uint64_t epoch = 0;  // of the controller: grows at each start, fences its predecessor
  uint64_t last_pass = 0;
  // In which records are written, so that every controller reads them; 0: the journal began with a
  // program that did not say so.
  uint64_t format = 0;

  NodeStore nodes;
  JobStore jobs;
  LeaseStore leases;
  QueueStore queues;
  ReservationStore reservations;
  FaultStore faults;
  RequestStore requests;
  Access access;      // roles and tokens
  Metering metering;  // where the time of GPUs went

  const Node* FindNode(NodeId id) const { return nodes.Find(id); }
  const Job* FindJob(JobId id) const { return jobs.Find(id); }
  const Lease* FindLease(LeaseId id) const { return leases.Find(id); }
};

// The queue of a job with this spec: the one that it names, else that of its project, else the
// default.  The queue may not exist.
const std::string& QueueFor(const State& state, const JobSpec& spec);

}  // namespace gp
