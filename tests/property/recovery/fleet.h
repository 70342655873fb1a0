#pragma once

// Nodes that fail, some of them more often than others, and what follows until they are back:
// resets and tests by their agents, repair by a person.  The production core decides, in virtual
// time; what runs there is another's.

#include <map>
#include <set>
#include <vector>

#include "base/rng.h"
#include "tests/support/test_cluster.h"

namespace gp {

struct FleetSetting {
  int nodes = 0;
  int lemons = 0;              // nodes that fail more often, evenly among the others
  int lemon_times = 1;         // how many times as often
  bool fail_together = false;  // lemons: more often than others below jobs of many nodes alone
  Duration node_mtbf;          // of the others
  Duration repair;             // from the request for an operator to `online`
  bool finds_lemons = true;
  uint64_t seed = 1;
};

struct FleetFigures {
  int interruptions = 0;  // of jobs
  int by_lemons = 0;      // of them
  int drained = 0;        // nodes found to be lemons
  int innocent = 0;       // of them, nodes that were none
};

class Fleet {
 public:
  explicit Fleet(const FleetSetting& setting);

  // Of what nodes, agents and persons do next.
  Instant NextAt() const;
  void Advance(Instant to) { cluster_.Advance(to - cluster_.now()); }
  // All of it that is due; the jobs that were interrupted.
  std::vector<JobId> Act();
  // A scheduling pass; the jobs that were placed, and run from now on.
  std::vector<JobId> Pass();

  JobId Submit(int nodes);
  void Save(JobId job);  // a checkpoint of it
  void End(JobId job);   // by itself, well

  Instant now() const { return cluster_.now(); }
  // Between 0 and 1
  double Even() { return (static_cast<double>(rng_.Below(1'000'000'000)) + 0.5) / 1e9; }
  Duration Exponential(Duration mean);
  const FleetFigures& figures() const { return figures_; }
  const std::vector<std::string>& broken() const { return cluster_.broken(); }

 private:
  bool IsLemon(NodeId node) const;
  bool FailsNow(NodeId node);
  Duration TimeToFailure(NodeId node);
  void Fail(NodeId node);
  void Report(NodeId node);
  void ReportEnds();
  void Note(const std::vector<Event>& events);
  void AskForRepair(const std::string& node);
  void DoTasks();
  void Bring(NodeId node);
  bool HasTasks() const;

  const FleetSetting setting_;
  Rng rng_;
  TestCluster cluster_;
  std::vector<uint64_t> signals_;       // sent so far, of each node
  std::map<NodeId, Instant> failures_;  // the next of each
  std::map<NodeId, Instant> repairs_;   // by a person
  std::set<NodeId> repaired_;           // lemons no more
  std::map<LeaseId, LeaseObservation> seen_;
  std::vector<JobId> interrupted_;
  Instant tasks_at_;  // ns == 0: nothing is reset or tested
  int64_t checkpoints_ = 0;
  FleetFigures figures_;
};

}  // namespace gp
