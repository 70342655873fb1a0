#include "domain/cluster/decide_fault.h"
#include "domain/cluster/faults.h"

namespace gp {
namespace {

// `now`: the GPU's condition, and afterwards the one that follows from what was seen.
void ObserveGpu(const Node& node, const GpuObservation& seen, const GpuTrouble& trouble, GpuCondition& now, Events& events) {
  const auto move = [&](GpuCondition to, const std::string& reason) {
    if (!CanBecome(now, to)) return;
    events.push_back(GpuConditionChanged{node.id, seen.gpu, to, reason});
    now = to;
  };
  if (seen.lost) {
    move(GpuCondition::kLost, seen.detail);
    return;
  }
  const bool is_back = now == GpuCondition::kLost;
  if (is_back) move(GpuCondition::kUnknown, "answers again");
  if (now == GpuCondition::kUnknown) move(GpuCondition::kTesting, "");
  if (trouble.task != GpuTask::kNone) return;  // how it ends is what counts
  // Back from being lost: what is to be done about it still is.
  if (trouble.remedy >= GpuRemedy::kReset) {
    move(GpuCondition::kQuarantined, "answers again");
    return;
  }
  if (trouble.remedy == GpuRemedy::kTest || trouble.remedy == GpuRemedy::kDrainReset) {
    move(GpuCondition::kSuspect, "answers again");
    return;
  }
  const Gpu& gpu = node.gpus[static_cast<size_t>(seen.gpu)];
  if (is_back && gpu.draining) {  // out of service it may have been before, and is again
    move(GpuCondition::kOffline, gpu.reason);
  } else if (now == GpuCondition::kTesting) {
    move(seen.healthy ? GpuCondition::kAvailable : GpuCondition::kSuspect, seen.detail);
  } else if (now == GpuCondition::kAvailable && !seen.healthy) {
    move(GpuCondition::kSuspect, seen.detail);
  } else if (now == GpuCondition::kSuspect && seen.healthy) {
    move(GpuCondition::kTesting, "");
  }
}

}  // namespace

void ObserveGpus(const State& state, const Node& node, const std::vector<GpuObservation>& all, Events& events) {
  std::vector<const GpuObservation*> by_gpu(node.gpus.size());
  for (const GpuObservation& seen : all) {
    if (seen.gpu < 0 || seen.gpu >= static_cast<int>(node.gpus.size())) continue;
    const GpuObservation*& first = by_gpu[static_cast<size_t>(seen.gpu)];
    if (first == nullptr) first = &seen;
  }
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    GpuCondition now = gpu.condition;
    const GpuTrouble* trouble = FindTrouble(state, {node.id, static_cast<int>(i)});
    if (by_gpu[i] != nullptr) ObserveGpu(node, *by_gpu[i], trouble == nullptr ? GpuTrouble{} : *trouble, now, events);
    // One that was draining and holds nothing any more is out of service.
    if (gpu.draining && gpu.leases.empty() && now == GpuCondition::kAvailable) {
      events.push_back(GpuConditionChanged{node.id, static_cast<int>(i), GpuCondition::kOffline, gpu.reason});
    }
  }
}

}  // namespace gp
