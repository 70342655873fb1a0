#pragma once

// A month of a small cluster, decided by the production core in virtual time: whole GPUs, time
// slices, MPS and MIG, jobs that give way, checkpoints, faults, lost nodes, drains, two pools and
// prices that change.

#include <set>
#include <string>

#include "base/rng.h"
#include "tests/property/metering/plain_meter.h"
#include "tests/support/test_cluster.h"

namespace gp {

struct MonthFigures {
  int jobs = 0;
  int preempted = 0;
  int faults = 0;
  int checkpoints = 0;
};

class Month {
 public:
  explicit Month(uint64_t seed);

  void Run(Duration length);

  const State& state() const { return cluster_.state(); }
  Instant now() const { return cluster_.now(); }
  const TestCluster& cluster() const { return cluster_; }
  const PlainMeter& truth() const { return truth_; }
  const MonthFigures& figures() const { return figures_; }

 private:
  void Do(Command command);
  void Pass();
  void Hear(const std::vector<Event>& events);
  void SetPrices();
  void Step();
  void Submit();
  void EndAny();
  void SaveAny();
  void Fail();
  void ChangeService();
  void Silence();
  void Report(NodeId node);
  void Obey();  // jobs that were stopped have ended
  void DoTasks();
  void BringBack();  // a person looks at what waits for one
  const Lease* AnyLease();
  NodeId AnyNode() {
    return {static_cast<uint32_t>(rng_.Below(cluster_.state().nodes.all.size()))};
  }

  Rng rng_;
  TestCluster cluster_;
  PlainMeter truth_;
  MonthFigures figures_;
  std::map<LeaseId, LeaseObservation> seen_;
  std::map<NodeId, uint64_t> signals_;
  std::set<NodeId> silent_;
  int64_t checkpoints_ = 0;
};

}  // namespace gp
