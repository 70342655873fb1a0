#include "domain/cluster/decide/decide_fault.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

bool IsUnread(const GpuObservation& seen) {
  return !seen.findings.empty() && seen.findings.front().code == HealthCode::kUnread;
}

// Moves one GPU from its present condition to the one that the observation requires.
class GpuObserver {
 public:
  GpuObserver(const State& state, const Node& node, const GpuObservation& seen, GpuDraft& draft,
              Events& events)
      : policy_(state.policy.faults), node_(node), seen_(seen), draft_(draft), events_(events) {}

  void Observe();

 private:
  void Move(GpuCondition to, const std::string& reason) {
    if (!CanBecome(draft_.condition, to)) return;
    events_.push_back(GpuConditionChanged{node_.id, seen_.gpu, to, reason});
    draft_.condition = to;
  }
  void Settle();
  // The best condition that the readings allow, and why.
  GpuCondition Allowed() const;
  std::string Why() const {
    return seen_.findings.empty() ? seen_.detail : ToText(WorstOf(policy_, seen_.findings));
  }

  const FaultPolicy& policy_;
  const Node& node_;
  const GpuObservation& seen_;
  GpuDraft& draft_;
  Events& events_;
};

GpuCondition GpuObserver::Allowed() const {
  if (seen_.findings.empty())
    return seen_.healthy ? GpuCondition::kAvailable : GpuCondition::kSuspect;
  switch (ActionOf(policy_, seen_.findings)) {
    case HealthAction::kNone: return GpuCondition::kAvailable;
    case HealthAction::kNoLinkedWork: return GpuCondition::kUnlinked;
    case HealthAction::kNoNewWork:
    case HealthAction::kResetWhenIdle:
    case HealthAction::kOperator: break;
  }
  return GpuCondition::kSuspect;
}

// A suspect GPU returns to service through a second check; an NVLink that is up again needs none.
void GpuObserver::Settle() {
  const GpuCondition allowed = Allowed();
  if (draft_.condition == GpuCondition::kSuspect) {
    if (allowed != GpuCondition::kSuspect) Move(GpuCondition::kTesting, "");
  } else if (draft_.condition == GpuCondition::kTesting ||
             draft_.condition == GpuCondition::kAvailable ||
             draft_.condition == GpuCondition::kUnlinked) {
    Move(allowed, allowed == GpuCondition::kAvailable ? "" : Why());
  }
}

void GpuObserver::Observe() {
  if (seen_.lost) return Move(GpuCondition::kLost, seen_.detail);
  const bool is_back = draft_.condition == GpuCondition::kLost;
  if (is_back && IsUnread(seen_)) return;  // it has no readings yet
  const GpuTrouble& trouble = draft_.trouble;
  const char* begins =
      draft_.condition == GpuCondition::kUnknown ? "new to its node" : "answers again";
  if (is_back) Move(GpuCondition::kUnknown, "answers again");
  if (draft_.condition == GpuCondition::kUnknown) Move(GpuCondition::kTesting, "");
  if (trouble.task != GpuTask::kNone) return;  // its result decides
  // Back from being lost: its remedy is still due.
  if (trouble.remedy >= GpuRemedy::kReset) return Move(GpuCondition::kQuarantined, begins);
  if (trouble.remedy == GpuRemedy::kTest || trouble.remedy == GpuRemedy::kDrainReset)
    return Move(GpuCondition::kSuspect, begins);
  const Gpu& gpu = node_.gpus[static_cast<size_t>(seen_.gpu)];
  // As before, possibly
  if (is_back && gpu.draining) return Move(GpuCondition::kOffline, gpu.reason);
  Settle();
}

}  // namespace

void ObserveGpus(const State& state, Instant at, const Node& node,
                 const std::vector<GpuObservation>& all, Events& events) {
  std::vector<const GpuObservation*> by_gpu(node.gpus.size());
  for (const GpuObservation& seen : all) {
    if (seen.gpu < 0 || seen.gpu >= static_cast<int>(node.gpus.size()) ||
        IsRetired(*node.facts, seen.gpu))
      continue;
    const GpuObservation*& first = by_gpu[static_cast<size_t>(seen.gpu)];
    if (first == nullptr) first = &seen;
  }
  FaultDecider decider(state, at, node, events);
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    const int index = static_cast<int>(i);
    GpuDraft well{{}, gpu.condition};
    GpuDraft* draft = &well;
    if (by_gpu[i] != nullptr) {
      // The common case: healthy now and before.
      const bool is_well =
          by_gpu[i]->findings.empty() && FindTrouble(state, {node.id, index}) == nullptr;
      if (!is_well) {
        decider.HandleFindings(index, by_gpu[i]->findings);
        draft = &decider.DraftOf(index);
      }
      GpuObserver(state, node, *by_gpu[i], *draft, events).Observe();
    }
    // A draining GPU that holds nothing any more goes out of service.
    const bool is_left = gpu.draining && gpu.leases.empty();
    if (is_left && (draft->condition == GpuCondition::kAvailable ||
                    draft->condition == GpuCondition::kUnlinked)) {
      events.push_back(GpuConditionChanged{node.id, index, GpuCondition::kOffline, gpu.reason});
    }
  }
}

}  // namespace gp
