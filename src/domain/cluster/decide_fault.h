#pragma once

// What follows from the faults that one node reports, in one transaction: who is ended, which GPU
// is taken out, what is to be done about it, and the incident that tells of it.

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

class FaultDecider {
 public:
  FaultDecider(const State& state, Instant at, const Node& node, Events& events);

  // What the node has reported before is passed over.
  void See(const FaultSignal& signal);
  // The node has joined without the GPU.
  void Miss(int gpu);
  // Whoever uses the GPU cannot go on, though nothing is wrong with it.
  void EndTenants(int gpu, const std::string& why);
  // What its readings say of a GPU; nothing follows while they say the same.  REQUIRES: the node
  // has such a GPU.
  void Read(int gpu, const std::vector<HealthFinding>& findings);
  // How a task has ended; what was seen in the same report comes before it.
  void EndTask(const GpuTaskResult& result);
  GpuDraft& DraftOf(int gpu);

 private:
  using Draft = GpuDraft;
  struct Hit {
    std::vector<JobId> jobs;
    int64_t lost_gpu_ms = 0;
  };
  // What is recorded of a GPU, and called for.
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
  // Incidents of the node that were opened just now, by their kind
  std::map<std::string, IncidentId> of_node_;
  std::set<JobId> ended_;
  bool is_drained_ = false;
};

// An incident of the node that begins with one report.
Incident OpenOn(const Node& node, IncidentId id, Instant at, const std::string& cause,
                const std::string& what);
// The node takes no new work, and an operator has to look at it.
void DrainWithIncident(const Node& node, IncidentId id, Instant at, const std::string& why,
                       Events& events);

// What a report says of each GPU: its first word, where an agent should contradict itself.
void ObserveGpus(const State& state, Instant at, const Node& node,
                 const std::vector<GpuObservation>& all, Events& events);

// What follows from how a task of a GPU has ended; `gpu` is what has become of it meanwhile.
void EndTask(const State& state, const GpuKey& key, const GpuDraft& gpu,
             const GpuTaskResult& result, Events& events);

}  // namespace gp
