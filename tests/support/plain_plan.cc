#include "tests/support/plain_plan.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/wide.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

struct Candidate {
  const Node* node;
  NodeChoice choice;
  bool lacks_image = false;
};

bool LacksImage(const State& state, const Node& node, const Job& job) {
  const auto held = state.nodes.images.find(node.id);
  if (held == state.nodes.images.end() || job.spec->program.image.empty()) return true;
  const uint64_t wanted = job.image_digest.empty() ? ImageKey(job.spec->program.image)
                                                   : ImageKeyOfDigest(job.image_digest);
  return std::ranges::count(held->second, wanted) == 0;
}

bool Better(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    const GpuScore& s = c.choice.score;
    return std::tuple(s.weighted, s.first, s.second, s.links_descending, s.mig_lost, s.gpus_opened,
                      s.blocks_lost, std::popcount(FreeGpus(*c.node)), s.share_left, c.lacks_image,
                      c.node->id);
  };
  return key(a) < key(b);
}

// Those of them, in the same order, that share most of the network's levels and are enough; how
// many levels.
std::pair<std::vector<Candidate>, int> NearTogether(const std::vector<Candidate>& candidates,
                                                    size_t wanted) {
  for (int depth = 8; depth > 0; --depth) {
    std::map<std::string, std::vector<Candidate>> parts;
    for (const Candidate& candidate : candidates) {
      const auto label = candidate.node->labels.find("network");
      if (label == candidate.node->labels.end() ||
          std::ranges::count(label->second, '/') + 1 < depth)
        continue;
      std::string part;
      for (const std::string& level : std::views::take(Split(label->second, '/'), depth))
        part += level + "/";
      parts[part].push_back(candidate);
    }
    std::erase_if(parts, [wanted](const auto& part) { return part.second.size() < wanted; });
    if (!parts.empty())
      return {
          std::ranges::min_element(parts, {}, [](const auto& part) { return part.second.size(); })
              ->second,
          depth};
  }
  return {candidates, 0};
}

std::optional<PlaceGang> FindPlace(const State& state, const std::vector<Node>& nodes,
                                   const Job& job) {
  const PlacementWeights weights = WeightsOf(state.policy.placement, job.pool);
  const auto wanted = static_cast<size_t>(job.spec->resources.nodes);
  std::map<std::string, std::vector<Candidate>> by_trait;
  for (const Node& node : nodes) {
    auto choice = ChooseGpus(node, job, weights);
    if (choice)
      by_trait[CommonTrait(*job.spec, node, *choice)].push_back(
          {&node, *std::move(choice), LacksImage(state, node, job)});
  }
  std::vector<Candidate>* best = nullptr;
  std::vector<Candidate> nearest;
  int levels = -1;
  for (auto& [trait, candidates] : by_trait) {
    if (candidates.size() < wanted) continue;
    std::ranges::sort(candidates, Better);
    auto [near, depth] = wanted == 1 ? std::pair(candidates, 0) : NearTogether(candidates, wanted);
    if (best != nullptr &&
        (depth < levels || (depth == levels && !Better(near[wanted - 1], nearest[wanted - 1]))))
      continue;
    best = &candidates;
    nearest = std::move(near);
    levels = depth;
  }
  if (best == nullptr) return std::nullopt;
  NodeList chosen;
  for (size_t i = 0; i < wanted; ++i) chosen.push_back(nearest[i].node);
  return PlaceOn(chosen, job, best->size(), weights);
}

// Those on which the platform never failed the job.
std::vector<Node> WithoutFaulty(std::vector<Node> others, const Job& job) {
  for (const AttemptRecord& attempt : job.attempts) {
    for (const RankRecord& rank : attempt.ranks) {
      const bool is_bad = IsPlatformFault(rank.outcome.end) ||
                          std::ranges::any_of(rank.outcome.clues.rules, [&](int rule) {
                            return job.spec->recovery.on_log.size() > static_cast<size_t>(rule) &&
                                   job.spec->recovery.on_log[static_cast<size_t>(rule)].action ==
                                       LogAction::kExcludeNode;
                          });
      if (is_bad) std::erase_if(others, [&](const Node& node) { return node.id == rank.node; });
    }
  }
  return others;
}

std::vector<NodeId> EmptiestFor(const State& state, const std::vector<Node>& nodes,
                                const Job& job) {
  NodeList order;
  for (const Node& node : nodes) order.push_back(&node);
  std::ranges::sort(order, {}, [](const Node* node) {
    return std::tuple(-std::popcount(FreeGpus(*node)), node->id);
  });
  std::map<std::string, std::vector<NodeId>> alike;
  for (const Node* node : order) {
    if (node->condition != NodeCondition::kUp || node->draining) continue;
    const auto choice =
        ChooseGpus(Emptied(*node), job, WeightsOf(state.policy.placement, job.pool));
    if (!choice) continue;
    std::vector<NodeId>& found = alike[CommonTrait(*job.spec, *node, *choice)];
    found.push_back(node->id);
    if (static_cast<int>(found.size()) == job.spec->resources.nodes) return found;
  }
  return {};
}

bool IsOpenFrom(const State& state, NodeId id, const Job& job, Instant from) {
  for (const auto& [name, reservation] : state.reservations.all) {
    if (std::ranges::count(reservation.nodes, id) == 0) continue;
    const bool is_own =
        job.spec->placement.reservation == name && Admits(reservation, job.user.name, job.queue);
    const Instant left = EndOfStay(from, *job.spec);
    if (is_own ? from < reservation.starts_at || left > reservation.ends_at
               : left > reservation.starts_at)
      return false;
  }
  return true;
}

// When a rank fits on the node, by the time limits of all who hold it.
Instant ReadyAt(const State& state, Instant at, const Plan& plan, Node node, const Job& job) {
  std::vector<std::tuple<Instant, LeaseId, Lease>> ends;
  for (const LeaseId id : state.FindNode(node.id)->leases) {
    const Lease& lease = *state.FindLease(id);
    ends.push_back({LatestEnd(*state.FindJob(lease.job)), id, lease});
  }
  uint64_t index = 0;
  for (const PlaceGang& placed : plan.Placements()) {
    const LeaseId planned{~index++};
    for (const RankPlacement& rank : placed.ranks) {
      if (rank.node != node.id) continue;
      Lease lease;
      lease.id = planned;
      lease.gpus = rank.gpus;
      lease.numa = rank.numa;
      ends.push_back({EndOfStay(at, *state.FindJob(placed.job)->spec), lease.id, lease});
    }
  }
  std::vector<Instant> times = {at};
  for (const auto& [end, id, lease] : ends) times.push_back(std::max(at, end));
  std::ranges::sort(times);
  for (const Instant time : times) {
    if (time == kNever) break;
    Node then = node;
    for (const auto& [end, id, lease] : ends) {
      if (end <= time) ReleaseGrants(then, lease);
    }
    if (Fits(then, job)) return IsOpenFrom(state, node.id, job, time) ? time : kNever;
  }
  return kNever;
}

// The nodes on which it can start first, and when.
std::pair<std::vector<NodeId>, Instant> FirstReadyFor(const State& state, Instant at,
                                                      const Plan& plan,
                                                      const std::vector<Node>& nodes,
                                                      const Job& job) {
  std::pair<std::vector<NodeId>, Instant> best{{}, kNever};
  if (job.spec->resources.gpus.count == 0 || ModeFor(job.spec->resources.gpus) != GpuMode::kWhole)
    return best;
  std::map<std::string, std::vector<std::tuple<Instant, int, NodeId>>> alike;
  for (const Node& node : nodes) {
    if (node.condition != NodeCondition::kUp || node.draining) continue;
    const auto choice = ChooseGpus(Emptied(node), job, WeightsOf(state.policy.placement, job.pool));
    if (choice)
      alike[CommonTrait(*job.spec, node, *choice)].push_back(
          {ReadyAt(state, at, plan, node, job), -std::popcount(FreeGpus(node)), node.id});
  }
  for (auto& [trait, times] : alike) {
    std::ranges::sort(times);
    std::vector<NodeId> ready;
    for (const auto& [time, emptiness, id] : times) {
      if (time >= best.second) break;
      ready.push_back(id);
      if (static_cast<int>(ready.size()) < job.spec->resources.nodes) continue;
      std::erase_if(ready, [&](NodeId one) { return !IsOpenFrom(state, one, job, time); });
      if (static_cast<int>(ready.size()) < job.spec->resources.nodes) continue;
      best = {ready, time};
      break;
    }
  }
  return best;
}

// The queue order, computed from scratch from all that is held, planned and waited for.
class PlainTurns {
 public:
  PlainTurns(const State& state, Instant at, const Holdings& planned,
             const std::map<JobId, int64_t>& planned_shares)
      : state_(state), at_(at), planned_(planned), planned_shares_(planned_shares) {
    for (const JobId id : state.jobs.queued) {
      for (const auto& [above, one] : Levels(*state.FindJob(id))) active_[above].insert(one);
    }
  }

  // `heads`: the first of each line that may still fit.
  const Job* Next(const std::vector<const Job*>& heads) const {
    const auto group = [this](const Job* job) { return std::tuple(-Rank(*job), job->pool); };
    const auto first = group(*std::ranges::min_element(heads, {}, group));
    std::vector<const Job*> asked;
    std::ranges::copy_if(heads, std::back_inserter(asked),
                         [&](const Job* job) { return group(job) == first; });
    if (std::get<0>(first) == -kBelowFloor) return *std::ranges::min_element(asked, {}, &Job::id);
    return Choose(asked, 0);
  }

 private:
  static constexpr int kBelowFloor = 3;

  // From the top down: who stands above, and the queue or user below it.
  static std::vector<std::pair<AccountId, AccountId>> Levels(const Job& job) {
    std::vector<std::pair<AccountId, AccountId>> levels;
    AccountId above{"pool", job.pool};
    for (const std::string& path : PathsTo(job.queue)) {
      levels.push_back({above, {path, ""}});
      above = {path, ""};
    }
    levels.push_back({above, {job.queue, job.user.name}});
    return levels;
  }

  static auto Order(const Job& job) {
    return std::tuple(-job.spec->policy.priority, ServiceLevel(job, Instant{}), job.id);
  }

  const Job* Choose(const std::vector<const Job*>& jobs, size_t level) const {
    std::map<AccountId, std::vector<const Job*>> branches;
    for (const Job* job : jobs) {
      const auto levels = Levels(*job);
      branches[level < levels.size() ? levels[level].second : AccountId{}].push_back(job);
    }
    const Job* best = nullptr;
    int64_t best_step = 0;
    for (const auto& [id, branch] : branches) {
      const bool are_of_one_user = !id.user.empty();
      const Job* job = are_of_one_user ? *std::ranges::min_element(
                                             branch, {}, [](const Job* j) { return Order(*j); })
                                       : Choose(branch, level + 1);
      const int64_t step = Step(Levels(*job)[level].first, id, job->pool);
      if (best != nullptr && std::tuple(best_step, Order(*best)) < std::tuple(step, Order(*job)))
        continue;
      best = job;
      best_step = step;
    }
    return best;
  }

  Holding HeldBy(const AccountId& id) const {
    Holding held;
    if (const auto found = state_.queues.accounts.find(id); found != state_.queues.accounts.end())
      held += found->second.held;
    if (const auto planned = planned_.find(id); planned != planned_.end()) held += planned->second;
    return held;
  }

  int64_t Use(const AccountId& id, int64_t share) const {
    const auto found = state_.queues.accounts.find(id);
    Account account = found == state_.queues.accounts.end() ? Account{} : found->second;
    Settle(account, at_, MeterOf(state_.policy));
    return account.faded_use + share * state_.policy.share_horizon.ToMilliseconds();
  }

  int64_t Step(const AccountId& above, const AccountId& id, const std::string& pool) const {
    const std::set<AccountId>& siblings = active_.at(above);
    if (siblings.size() == 1) return 0;
    const auto weight = [&](const AccountId& one) {
      return one.user.empty() ? state_.queues.all.at(one.queue).weight : 1;
    };
    if (id.user.empty() && HeldBy(id).share < state_.queues.all.at(id.queue).guaranteed * 1000)
      return -1;
    int64_t use = 0;
    int64_t weights = 0;
    for (const AccountId& one : siblings) {
      const auto found = state_.queues.accounts.find(one);
      use += Use(one, found == state_.queues.accounts.end() ? 0 : found->second.held.share);
      weights += weight(one);
    }
    int64_t gpus = 0;
    for (const Node& node : state_.nodes.all)
      gpus += node.pool == pool ? int64_t{node.facts->CountGpus()} : 0;
    const int64_t all =
        std::max(use, std::max<int64_t>(gpus, state_.nodes.capacity.contains(pool) ? 0 : 1) * 1000 *
                          state_.policy.share_horizon.ToMilliseconds());
    return all == 0 ? 0
                    : static_cast<int64_t>(Wide{Use(id, HeldBy(id).share)} * 64 * weights /
                                           (Wide{weight(id)} * all));
  }

  int Rank(const Job& job) const {
    const int job_class = ClassOf(job.spec->policy.priority);
    if (at_ - job.queued_at < state_.policy.age_after) return job_class;
    int64_t held = 0;
    for (const auto& [id, other] : state_.jobs.all) {
      if (id >= job.id || other.pool != job.pool ||
          ClassOf(other.spec->policy.priority) != job_class)
        continue;
      held += HoldingOf(state_, other).share;
      if (const auto planned = planned_shares_.find(id); planned != planned_shares_.end())
        held += planned->second;
    }
    int64_t gpus = 0;
    for (const Node& node : state_.nodes.all)
      gpus += node.pool == job.pool ? int64_t{node.facts->CountGpus()} : 0;
    if (job.spec->resources.gpus.count > 0 && held * 100 < gpus * 1000 * state_.policy.class_floor)
      return kBelowFloor;
    return std::min(job_class + 1, 2);
  }

  const State& state_;
  const Instant at_;
  const Holdings& planned_;
  const std::map<JobId, int64_t>& planned_shares_;
  std::map<AccountId, std::set<AccountId>> active_;
};

}  // namespace

namespace {

// Without those that are kept or reserved for others, unless it leaves them in time.
std::vector<Node> OpenTo(const State& state, const Plan& plan, Instant at, std::vector<Node> nodes,
                         const Job& job, bool for_good = false) {
  std::erase_if(nodes, [&](const Node& node) {
    if (!IsOpenFrom(state, node.id, job, at)) return true;
    const auto backfill = plan.backfill.find(node.id);
    return backfill != plan.backfill.end() &&
           (for_good || EndOfStay(at, *job.spec) > backfill->second.shadow_time);
  });
  return nodes;
}

// The first way in which it is placed, tried one by one.
template <typename F>
std::pair<Job, std::optional<PlaceGang>> FirstVariant(const Job& job, const F& place) {
  Job as = job;
  for (int variant = 0; variant <= static_cast<int>(job.spec->resources.any_of.size()); ++variant) {
    const JobSpec widest = Variant(*job.spec, variant);
    for (const bool with_faulty : {false, true}) {
      for (int nodes = widest.resources.nodes; nodes >= LeastNodes(widest); --nodes) {
        as.spec = Resolve(job.spec, variant, nodes);
        auto found = place(as, with_faulty);
        if (!found) continue;
        found->variant = variant;
        return {as, found};
      }
    }
  }
  return {job, std::nullopt};
}

}  // namespace

Plan PlainPlan(const State& state, Instant at) {
  Plan plan;
  std::vector<Node> nodes = state.nodes.all;
  Holdings planned;
  Holdings counted;  // on limits: for those too who keep nodes
  std::map<JobId, int64_t> planned_shares;
  std::set<std::string> pools_reserved;
  std::map<EquivalenceClass, std::vector<const Job*>> lines;
  for (const auto& [line, keys] : state.jobs.equivalence_classes) {
    for (const QueueKey& key : keys) lines[line].push_back(state.FindJob(key.job));
  }
  while (!lines.empty()) {
    std::vector<const Job*> heads;
    for (const auto& [line, jobs] : lines) heads.push_back(jobs.front());
    const Job& job = *PlainTurns(state, at, planned, planned_shares).Next(heads);
    const auto line = lines.find(EquivalenceClassOf(job));
    Job least = job;
    least.spec = Resolve(job.spec, 0,
                         job.spec->resources.nodes_min == 0 ? job.spec->resources.nodes
                                                            : job.spec->resources.nodes_min);
    const bool stopped = FindQuotaStop(state, least, at, counted).has_value();
    auto [as, place] = FirstVariant(job, [&](const Job& one, bool with_faulty) {
      if (FindQuotaStop(state, one, at, counted)) return std::optional<PlaceGang>();
      const std::vector<Node> open = OpenTo(state, plan, at, nodes, one);
      return FindPlace(state, with_faulty ? open : WithoutFaulty(open, one), one);
    });
    if (!place) {
      lines.erase(line);
      const bool is_of_whole_gpus = least.spec->resources.gpus.count > 0 &&
                                    ModeFor(least.spec->resources.gpus) == GpuMode::kWhole;
      const Duration keeps_after =
          is_of_whole_gpus && least.spec->resources.nodes * least.spec->resources.gpus.count > 1
              ? state.policy.reserve_after
              : std::max(state.policy.reserve_after, Duration::Minutes(5));
      if (stopped || pools_reserved.contains(job.pool) || at - job.queued_at < keeps_after)
        continue;
      auto [first, ready_at] =
          FirstReadyFor(state, at, plan, OpenTo(state, plan, at, nodes, job, true), least);
      if (ready_at == kNever)
        first = EmptiestFor(state, OpenTo(state, plan, at, nodes, job, true), least);
      for (const NodeId id : first) {
        plan.backfill[id] = {job.id, ready_at != kNever ? ready_at
                                     : is_of_whole_gpus ? kUnknownStart
                                                        : Instant{}};
        pools_reserved.insert(job.pool);
      }
      if (!first.empty()) {
        for (const AccountId& account : AccountsOf(job)) counted[account] += AskOf(state, least);
      }
      continue;
    }
    place->pass = state.last_pass + 1;
    for (const RankPlacement& rank : place->ranks) {
      Lease lease;
      lease.id = {~plan.steps.size()};
      lease.mode = ModeFor(as.spec->resources.gpus);
      lease.gpus = rank.gpus;
      lease.numa = rank.numa;
      HoldGrants(*std::ranges::find(nodes, rank.node, &Node::id), lease, job.user.name);
    }
    for (const AccountId& account : AccountsOf(job)) {
      planned[account] += AskOf(state, as);
      counted[account] += AskOf(state, as);
    }
    planned_shares[job.id] += AskOf(state, as).share;
    plan.steps.emplace_back(*std::move(place));
    line->second.erase(line->second.begin());
    if (line->second.empty()) lines.erase(line);
  }
  return plan;
}

}  // namespace gp
