#pragma once

// Four lives of a controller with two nodes, told to it round by round as people and agents would.
// Between two rounds all that follows has been planned, so that a life takes the same course each
// time.

#include <string>
#include <vector>

#include "adapters/outbound/memory/manual_clock.h"
#include "application/control/control_loop.h"
#include "tests/crash/witness.h"

namespace gp {

enum class WorkloadKind {
  kJobs,       // submits, starts, ends
  kFaults,     // errors of GPUs, incidents, remedies
  kSnapshots,  // arrays, queues, priorities, with many snapshots
  kDrops,      // the same, and what is older than a few seconds is dropped
};
const char* Name(WorkloadKind kind);
inline bool HasSnapshots(WorkloadKind kind) {
  return kind == WorkloadKind::kSnapshots || kind == WorkloadKind::kDrops;
}

class Workload {
 public:
  Workload(WorkloadKind kind, ControlLoop& loop, ManualClock& clock, Witness& witness)
      : kind_(kind), loop_(loop), clock_(clock), witness_(witness) {}

  // Rounds from `first` on, so that a second part may follow a restart.
  void Run(int first, int rounds);
  // A job of user ana with this request id; what the controller promised is witnessed.
  Outcome Submit(const std::string& request_id, const JobSpec& spec);

 private:
  void Join();
  void Round(int round);
  void SubmitSome(int round);
  void ReportLeases(int round);
  void ReportFaults(int round);
  void EndTasks();
  void ChangeQueues(int round);
  // REQUIRES: nobody refuses it.
  void Tell(const Command& command);
  template <typename Make>
  auto Look(Make make) {
    decltype(make(std::declval<const State&>())) found;
    (void)loop_.Read([&](const State& state) { found = make(state); });
    return found;
  }

  const WorkloadKind kind_;
  ControlLoop& loop_;
  ManualClock& clock_;
  Witness& witness_;
  uint64_t signals_ = 0;
};

}  // namespace gp
