#include "domain/cluster/nodes/faults.h"

#include <algorithm>

#include "base/digest.h"

namespace gp {
namespace {

// An attempt that ends within this time after an error is attributed to it.
constexpr Duration kForgiving = Duration::Seconds(60);

}  // namespace

const GpuTrouble* FindTrouble(const State& state, const GpuKey& key) {
  const auto found = state.faults.troubles.find(key);
  return found == state.faults.troubles.end() ? nullptr : &found->second;
}

const Gpu& GpuAt(const State& state, const GpuKey& key) {
  return state.FindNode(key.node)->gpus[static_cast<size_t>(key.gpu)];
}

bool IsBreakerOpen(const State& state, const std::string& pool) {
  return state.faults.breakers.contains(pool);
}

int64_t CountOutOfService(const State& state, const std::string& pool, Instant at) {
  const auto found = state.faults.out_of_service.find(pool);
  if (found == state.faults.out_of_service.end()) return 0;
  return std::ranges::count_if(found->second, [&](Instant taken) {
    return at - taken <= state.policy.faults.breaker_window;
  });
}

int64_t CountNodesOutOfService(const State& state, const std::string& pool, Instant at) {
  std::set<NodeId> nodes;
  for (const auto& [key, trouble] : state.faults.troubles) {
    const bool is_recent = trouble.out_of_service_at.ns != 0 &&
                           at - trouble.out_of_service_at <= state.policy.faults.breaker_window;
    if (is_recent && state.FindNode(key.node)->pool == pool) nodes.insert(key.node);
  }
  return static_cast<int64_t>(nodes.size());
}

bool IsBreakerDue(const State& state, const std::string& pool, Instant at) {
  const FaultPolicy& policy = state.policy.faults;
  const auto capacity = state.nodes.capacity.find(pool);
  if (policy.breaker_percent >= 100 || capacity == state.nodes.capacity.end()) return false;
  const int64_t taken = CountOutOfService(state, pool, at);
  const bool are_many =
      taken >= policy.breaker_gpus_min && taken * 100 > capacity->second * policy.breaker_percent;
  return are_many && CountNodesOutOfService(state, pool, at) >= policy.breaker_nodes_min;
}

bool IsRemedyReady(const State& state, const GpuKey& key) {
  const GpuTrouble* trouble = FindTrouble(state, key);
  if (trouble == nullptr || trouble->task != GpuTask::kNone) return false;
  if (trouble->remedy < GpuRemedy::kTest || trouble->remedy > GpuRemedy::kReset) return false;
  const Node& node = *state.FindNode(key.node);
  const Gpu& gpu = GpuAt(state, key);
  if (node.condition != NodeCondition::kUp || !gpu.leases.empty()) return false;
  if (node.facts->gpus[static_cast<size_t>(key.gpu)].presence != GpuPresence::kPresent)
    return false;
  if (IsBreakerOpen(state, node.pool) && !trouble->is_requested) return false;
  const bool is_out = gpu.condition == GpuCondition::kSuspect ||
                      gpu.condition == GpuCondition::kQuarantined ||
                      (gpu.condition == GpuCondition::kOffline &&
                       trouble->remedy == GpuRemedy::kTest && trouble->is_requested);
  const bool is_at_work =
      gpu.condition == GpuCondition::kAvailable || gpu.condition == GpuCondition::kUnlinked;
  return is_out || (is_at_work && trouble->remedy != GpuRemedy::kTest);
}

bool IsSuspicious(const State& state, const GpuKey& key, const GpuTrouble& trouble, int xid,
                  Instant at) {
  const FaultPolicy& policy = state.policy.faults;
  const auto counts = [&](const UserError& error) {
    return error.xid == xid && at - error.at <= policy.error_window;
  };
  std::set<std::string> users;
  int64_t count = 0;
  for (const UserError& error : trouble.errors) {
    if (!counts(error)) continue;
    users.insert(error.user);
    ++count;
  }
  if (static_cast<int>(users.size()) < policy.suspect_users || count < policy.suspect_errors)
    return false;
  // GPUs without errors may have had no work, and would make every busy GPU look bad.
  int64_t others = 0;
  int64_t beyond_first = 0;
  for (const auto& [other, its] : state.faults.troubles) {
    const int64_t had = other == key ? 0 : std::ranges::count_if(its.errors, counts);
    if (had == 0) continue;
    ++others;
    beyond_first += had - 1;
  }
  // count >= suspect_errors + suspect_factor x the mean, in whole numbers.
  return (count - policy.suspect_errors) * others >= policy.suspect_factor * beyond_first;
}

bool IsAnotherFailure(const Node& node, Instant at) {
  constexpr Duration kOneAccident = Duration::Minutes(60);
  return node.failures.empty() || at - node.failures.back() > kOneAccident;
}

bool IsLemon(const State& state, const Node& node, Instant at) {
  const FaultPolicy& policy = state.policy.faults;
  const auto recent = [&](const Node& one) {
    return std::ranges::count_if(
        one.failures, [&](Instant failed) { return at - failed <= policy.lemon_window; });
  };
  if (!IsAnotherFailure(node, at)) return false;
  const int64_t count = recent(node) + 1;
  if (count < policy.lemon_failures) return false;
  int64_t others = 0;
  int64_t failures = 0;
  for (const Node& other : state.nodes.all) {
    if (other.id == node.id) continue;
    ++others;
    failures += recent(other);
  }
  // A single node cannot be compared.
  return others > 0 && count * others >= policy.lemon_factor * failures;
}

std::set<int> XidsNear(const GpuTrouble& trouble, Instant at, Duration span) {
  std::set<int> near;
  for (const XidMark& mark : trouble.xids) {
    if (at - mark.at <= span) near.insert(mark.xid);
  }
  return near;
}

bool IsRepeated(const GpuTrouble& trouble, int xid, Instant at, Duration span) {
  return std::ranges::any_of(trouble.xids, [&](const XidMark& mark) {
    return mark.xid == xid && at - mark.at > span && at - mark.at <= kMarksKept;
  });
}

bool IsForgiven(const Job& job, Instant at) {
  return std::ranges::any_of(job.xids, [&](const XidNote& note) {
    return note.forgiven && note.attempt == job.attempt && at - note.at <= kForgiving;
  });
}

bool IsOfAnotherClient(const Job& job, const LeaseOutcome& outcome) {
  return outcome.clues.mps_failed && std::ranges::none_of(job.xids, [&](const XidNote& note) {
           return note.attempt == job.attempt;
         });
}

uint64_t DigestOf(const JobSpec& spec) {
  uint64_t digest = Digest64(spec.program.working_directory);
  if (!spec.program.image.empty()) digest = Digest64(spec.program.image, digest);
  for (const Mount& mount : spec.program.mounts) digest = Digest64(ToText(mount), digest);
  if (spec.program.network != NetworkAccess::kHost) digest = Digest64("no network", digest);
  for (const std::string& word : spec.program.command) digest = Digest64(word, digest);
  return digest;
}

}  // namespace gp
