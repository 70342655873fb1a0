#include "experiments/trace/trace_policies.h"

#include <algorithm>
#include <array>

#include "experiments/trace/engine_replay.h"
#include "experiments/trace/queue_replay.h"
#include "experiments/trace/round_replay.h"

namespace gp {
namespace {

template <QueuePolicy kPolicy>
TraceResult Queue(const TraceWorkload& workload, const TraceCluster& cluster,
                  const DoneWatch& watch) {
  return ReplayQueue(workload, cluster, kPolicy, watch);
}

template <RoundPolicy kPolicy>
TraceResult Rounds(const TraceWorkload& workload, const TraceCluster& cluster,
                   const DoneWatch& watch) {
  return ReplayRounds(workload, cluster, kPolicy, watch);
}

constexpr std::array kPolicies{
    TracePolicy{"fifo", Queue<QueuePolicy::kFifo>}, TracePolicy{"skip", Queue<QueuePolicy::kSkip>},
    TracePolicy{"easy", Queue<QueuePolicy::kEasy>}, TracePolicy{"sjf", Queue<QueuePolicy::kSjf>},
    TracePolicy{"las", Rounds<RoundPolicy::kLas>},  TracePolicy{"srtf", Rounds<RoundPolicy::kSrtf>},
    TracePolicy{"default", ReplayEngine},
};

}  // namespace

std::span<const TracePolicy> TracePolicies() { return kPolicies; }

const TracePolicy* FindTracePolicy(std::string_view name) {
  const auto found = std::ranges::find(kPolicies, name, &TracePolicy::name);
  return found == kPolicies.end() ? nullptr : &*found;
}

}  // namespace gp
