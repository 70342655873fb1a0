#pragma once

// Plays tables of commands over the real core and writes what happened beside each.  A table line
// is "command -> events" or "command => refusal"; docs/how-to/golden_tables.md lists the commands.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/test_cluster.h"

namespace gp {

class TableRunner {
 public:
  // The command's outcome: "-> event, event" or "=> code message".
  std::string Run(const std::string& command);
  const TestCluster& cluster() const { return cluster_; }

 private:
  struct Line {
    std::string verb;
    std::vector<std::string> words;              // without '='
    std::map<std::string, std::string> options;  // key=value
    std::string Option(const std::string& key, const std::string& otherwise) const;
    int Number(const std::string& key, int otherwise) const;
    bool Has(const std::string& key) const;
    // An option that the verb does not know; empty: it knows all.
    std::string Unread() const;

   private:
    mutable std::set<std::string> read_;
  };
  struct Target {
    NodeId node;
    int gpu = -1;
  };

  static Line Parse(const std::string& command);
  std::string Run(const Line& line);
  std::string Node(const Line& line);
  std::string Submit(const Line& line);
  std::string Queue(const Line& line);
  static Alternative AlternativeFrom(const std::string& text);
  static ArrayRequest ArrayFrom(const std::string& text);
  Dependency DependencyFrom(const std::string& text) const;
  std::string Reserve(const Line& line);
  std::string Grant(const Line& line);
  std::string Issue(const Line& line);
  std::string Certify(const Line& line);
  std::string IssueJoin(const Line& line);
  std::string ChangeNode(const Line& line);
  std::string Service(const Line& line, ServiceAction action);
  std::string Observe(const Line& line, bool running, bool ended);
  std::string ObserveGpu(const Line& line);
  std::string ReadGpu(const Line& line);
  std::string Fault(const Line& line);
  std::string EndTask(const Line& line);
  std::string Rejoin(const Line& line);
  std::string Restart(const Line& line);
  std::string Repolicy(const Line& line);
  std::string ReportUse(const Line& line);
  std::string Why(const Line& line) const;
  std::string Placed(const Line& line) const;
  std::string Defragment();
  static NodeFacts FactsFrom(const Line& line);
  std::string Show() const;
  std::string ShowGpus(const std::string& name) const;
  std::string ShowVerdict(const Line& line) const;
  std::string Wait(const Line& line);
  static void AddClues(const Line& line, LogClues& clues);
  static void MeetMetricRule(int rule, LeaseObservation& seen);
  std::string ReportProgress(const Line& line);
  std::string ReportFromAll(const std::vector<NodeId>& nodes);
  std::string ReportFrom(NodeId node, std::vector<GpuObservation> gpus = {},
                         uint64_t incarnation = 0);
  std::vector<LeaseObservation> SeenOn(NodeId node) const;

  Target TargetOf(const std::string& text) const;
  std::string Tell(const Command& command, const std::string& request_id = "");
  std::string OutcomeText(const Result<std::vector<Event>>& events, const State& before) const;

  TestCluster cluster_;
  std::map<std::string, JobId> jobs_;
  std::map<JobId, std::string> names_;
  uint64_t signals_ = 0;
  std::map<LeaseId, LeaseObservation> seen_;  // what the nodes would report
};

}  // namespace gp
