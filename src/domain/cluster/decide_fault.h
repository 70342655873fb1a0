#pragma once

// What follows from the faults that one node reports, in one transaction: which jobs end, which GPU
// goes out of service, its remedy and its incident.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/decide_parts.h"
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
  void See(const FaultSignal& signal);
  // The node has joined without the GPU.
  void Miss(int gpu);
  // Ends the attempts that use the GPU, although the GPU itself is healthy.
  void EndTenants(int gpu, const std::string& why);
  // Handles the findings from a GPU's readings; unchanged findings have no effect.  REQUIRES: the
  // node has such a GPU.
  void Read(int gpu, const std::vector<HealthFinding>& findings);
  // Handles the result of a task; signals of the same report are handled before it.
  void EndTask(const GpuTaskResult& result);
  GpuDraft& DraftOf(int gpu);

 private:
  using Draft = GpuDraft;
  struct Hit {
    std::vector<JobId> jobs;
    int64_t lost_gpu_ms = 0;
  };
  // A fault of a GPU, as its incident records it.
  struct Call {
    int gpu = 0;
    std::string what;  // for the incident, in words
    bool is_lost = false;
    bool is_lasting = false;
    bool is_missing = false;
  };

  void SeeNode(const FaultSignal& signal);
  void SeeGpu(const FaultSignal& signal);
  const Job* FindNamed(const Gpu& gpu, const FaultSignal& signal) const;
  std::optional<UserError> NewError(const Draft& draft, const FaultSignal& signal,
                                    const FaultVerdict& verdict, const Job* named) const;
  Hit HitTenants(const Gpu& gpu, const FaultSignal& signal, const FaultVerdict& verdict,
                 const Job* named);
  Hit HitLinked(const FaultVerdict& verdict);
  void End(const Job& job, const FaultVerdict& verdict, const std::string& place, Hit& hit);
  void Find(Draft& draft, int gpu, const HealthFinding& finding);
  void BeWell(Draft& draft, int gpu);
  void Answer(Draft& draft, const Call& call, const FaultVerdict& verdict, const Hit& hit);
  void Record(Draft& draft, const Call& call, const FaultVerdict& verdict, const Hit& hit);
  static void CountHit(const Hit& hit, Incident& incident);
  void RecordOfNode(const std::string& cause, const std::string& what, const Hit& hit);
  std::optional<IncidentId> FindOfNode(const std::string& kind) const;
  void AbandonTest(Draft& draft, int gpu);
  const GpuTrouble* TroubleOf(int gpu) const;
  void MindCooling();
  void MindDriver();
  bool MayDrain() const;
  void MindNode(const std::string& why);
  void TakeOut(Draft& draft, const Call& call, const std::string& why);

  const State& state_;
  const Instant at_;
  const Node& node_;
  Events& events_;
  uint64_t last_incident_;
  std::map<int, Draft> drafts_;  // by GPU
  // Incidents of the node that this command opened, by kind
  std::map<std::string, IncidentId> of_node_;
  std::set<JobId> ended_;
  bool is_drained_ = false;
};

// An incident of the node that begins with one report.
Incident OpenOn(const Node& node, IncidentId id, Instant at, const std::string& cause,
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
