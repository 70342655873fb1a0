#pragma once

// What follows from the faults that one node reports, in one transaction: which jobs end, which GPU
// goes out of service, its remedy and its incident.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/decide/decide_parts.h"
#include "domain/faults/judge.h"

namespace gp {

// A GPU as it will be when the events so far are applied.
struct GpuDraft {
  GpuTrouble trouble;
  GpuCondition condition = GpuCondition::kUnknown;
};

// Turns the faults of one node into events, appended to `events`.  Lives for one command, on the
// writer's thread; `state` must not change meanwhile.
class FaultDecider {
 public:
  FaultDecider(const State& state, Instant at, const Node& node, Events& events);

  // Handles a reported signal; signals that were reported before are skipped.
  void HandleSignal(const FaultSignal& signal);
  // The node has joined without the GPU.
  void HandleMissing(int gpu);
  // Ends the attempts that use the GPU, although the GPU itself is healthy.
  void StopAllTenants(int gpu, const std::string& why);
  // Handles the findings from a GPU's readings; unchanged findings have no effect.  REQUIRES: the
  // node has such a GPU.
  void HandleFindings(int gpu, const std::vector<HealthFinding>& findings);
  // Handles the result of a task; signals of the same report are handled before it.
  void HandleTaskResult(const GpuTaskResult& result);
  GpuDraft& DraftOf(int gpu);

 private:
  using Draft = GpuDraft;
  struct Impact {
    std::vector<JobId> jobs;
    int64_t lost_gpu_ms = 0;
  };
  // A fault of a GPU, as its incident records it.
  struct GpuFault {
    int gpu = 0;
    std::string what;  // for the incident, in words
    bool is_lost = false;
    bool is_lasting = false;
    bool is_missing = false;
  };

  void HandleNodeSignal(const FaultSignal& signal);
  void HandleGpuSignal(const FaultSignal& signal);
  const Job* FindNamed(const Gpu& gpu, const FaultSignal& signal) const;
  std::optional<UserError> NewError(const Draft& draft, const FaultSignal& signal,
                                    const FaultVerdict& verdict, const Job* named) const;
  Impact StopTenants(const Gpu& gpu, const FaultSignal& signal, const FaultVerdict& verdict,
                     const Job* named);
  Impact StopLinkedJobs(const FaultVerdict& verdict);
  void StopJob(const Job& job, const FaultVerdict& verdict, const std::string& place,
               Impact& impact);
  void HandleFinding(Draft& draft, int gpu, const HealthFinding& finding);
  void CloseHealthIncident(Draft& draft, int gpu);
  void ApplyVerdict(Draft& draft, const GpuFault& fault, const FaultVerdict& verdict,
                    const Impact& impact);
  void RecordIncident(Draft& draft, const GpuFault& fault, const FaultVerdict& verdict,
                      const Impact& impact);
  static void CountImpact(const Impact& impact, Incident& incident);
  void RecordNodeIncident(const std::string& cause, const std::string& what, const Impact& impact);
  std::optional<IncidentId> FindNodeIncident(const std::string& kind) const;
  void AbandonTest(Draft& draft, int gpu);
  const GpuTrouble* TroubleOf(int gpu) const;
  void CheckCooling();
  void CheckDriver();
  bool MayDrain() const;
  void DrainFaultyNode(const std::string& why);
  void UpdateCondition(Draft& draft, const GpuFault& fault, const std::string& why);

  const State& state_;
  const Instant at_;
  const Node& node_;
  Events& events_;
  uint64_t last_incident_;
  std::map<int, Draft> drafts_;  // by GPU
  // Incidents of the node that this command opened, by kind
  std::map<std::string, IncidentId> node_incidents_;
  std::set<JobId> ended_;
  bool is_drained_ = false;
};

// An incident of the node that begins with one report.
Incident NewNodeIncident(const Node& node, IncidentId id, Instant at, const std::string& cause,
                         const std::string& what);
// Drains the node and opens an incident that requires operator action.
void DrainWithIncident(const Node& node, IncidentId id, Instant at, const std::string& why,
                       Events& events);

// Handles a report's observation of each GPU: the first one, if a report lists a GPU twice.
void ObserveGpus(const State& state, Instant at, const Node& node,
                 const std::vector<GpuObservation>& all, Events& events);

// Handles the result of a GPU's task; `gpu` is the GPU as the events so far leave it.
void EndTask(const State& state, const GpuKey& key, const GpuDraft& gpu,
             const GpuTaskResult& result, Events& events);

}  // namespace gp
