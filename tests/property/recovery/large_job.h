#pragma once

// One job on many nodes of a cluster in which nodes fail, decided by the production core in virtual time: how much of
// its time is of use, and how often it is interrupted.

#include <map>
#include <set>
#include <vector>

#include "base/rng.h"
#include "tests/support/test_cluster.h"

namespace gp {

struct LargeJobSetting {
  int nodes = 64;             // of the job
  int spares = 8;
  int lemons = 0;             // nodes that fail more often
  int lemon_times = 1;        // so many times as often
  Duration node_mtbf;         // of the others
  Duration repair;            // from a person's being asked to `online`
  Duration start_time;        // from its place to its first step: loading
  Duration checkpoint_every;  // of work
  Duration checkpoint_cost;
  Duration length;            // of the whole experiment
  bool finds_lemons = true;
  uint64_t seed = 1;
};

struct LargeJobFigures {
  Duration useful;       // work that was not lost
  Duration elapsed;
  int interruptions = 0;
  int drained = 0;       // nodes found to be lemons
  int innocent = 0;      // of them, nodes that were none
};

class LargeJob {
 public:
  explicit LargeJob(const LargeJobSetting& setting);
  LargeJobFigures Run();
  const std::vector<std::string>& broken() const { return cluster_.broken(); }

 private:
  bool IsLemon(NodeId node) const { return static_cast<int>(node.value) < setting_.lemons && !repaired_.contains(node); }
  Duration TimeToFailure(NodeId node);
  void Place();
  void Report(NodeId node);
  void Fail(NodeId node);
  void Note(const std::vector<Event>& events);
  void DoTasks();
  void SaveCheckpoint();
  void Bring(NodeId node);
  void Begin();

  const LargeJobSetting setting_;
  Rng rng_;
  TestCluster cluster_;
  std::vector<uint64_t> signals_;
  std::map<NodeId, Instant> failures_;  // the next of each
  std::map<NodeId, Instant> repairs_;   // by a person
  std::set<NodeId> repaired_;           // nodes that were drained for failing so often: they are as others since
  std::map<LeaseId, LeaseObservation> seen_;
  Instant works_since_;                 // ns == 0: it does not run
  Instant saved_at_;                    // when the next checkpoint is written
  int64_t checkpoints_ = 0;
  LargeJobFigures figures_;
};

}  // namespace gp
