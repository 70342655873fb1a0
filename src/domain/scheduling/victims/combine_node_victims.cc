#include "domain/scheduling/victims/combine_node_victims.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <utility>

namespace gp {
namespace {

// Steps after which the search stops with the best combination so far.
constexpr int kStepsMax = 100'000;
// The search keeps possible victims as bits of one word.
constexpr size_t kLeavingMax = 64;
// More than the cost of any node; small enough that sums do not overflow.
constexpr EvictionCost kMuch{INT_MAX, int64_t{1} << 40, size_t{1} << 40, int64_t{1} << 40};

EvictionCost Least(const EvictionCost& a, const EvictionCost& b) {
  return {std::min(a.priority, b.priority), std::min(a.gpus, b.gpus), std::min(a.jobs, b.jobs),
          std::min(a.priorities, b.priorities)};
}

EvictionCost Times(const EvictionCost& cost, size_t nodes) {
  const auto times = static_cast<int64_t>(nodes);
  return {cost.priority, cost.gpus * times, cost.jobs * nodes, cost.priorities * times};
}

class Combination {
 public:
  Combination(const std::vector<std::vector<NodeVictims>>& options, size_t wanted,
              const MayEvict& may_evict, std::optional<EvictionCost> cheaper_than)
      : options_(options), wanted_(wanted), may_evict_(may_evict), least_(cheaper_than) {
    for (const std::vector<NodeVictims>& node : options_) {
      std::vector<Choice>& choices = choices_.emplace_back();
      for (const NodeVictims& option : node) choices.push_back({&option, BitsOf(option)});
    }
    BoundFromEachNodeOn();
  }

  std::optional<std::vector<NodeVictims>> Find() {
    if (jobs_.size() <= kLeavingMax) Extend(0, 0, {});
    if (best_.empty()) return std::nullopt;
    std::vector<NodeVictims> found;
    for (const NodeVictims* option : best_) found.push_back(*option);
    return found;
  }

 private:
  struct Choice {
    const NodeVictims* option;
    uint64_t victims;  // bits of jobs_
  };

  uint64_t BitsOf(const NodeVictims& option) {
    uint64_t bits = 0;
    for (const Job* job : option.victims) {
      const auto at = static_cast<size_t>(std::ranges::find(jobs_, job) - jobs_.begin());
      if (at == jobs_.size()) jobs_.push_back(job);
      if (at < kLeavingMax) bits |= uint64_t{1} << at;
    }
    return bits;
  }

  // Lower bound for the cost of any node from node i on: only victims that run on one node count.
  void BoundFromEachNodeOn() {
    bounds_.assign(options_.size() + 1, kMuch);
    for (size_t i = options_.size(); i-- > 0;) {
      bounds_[i] = bounds_[i + 1];
      for (const NodeVictims& option : options_[i]) {
        EvictionCost own;
        for (const Job* job : option.victims) {
          if (job->spec->resources.nodes == 1) own = own + CostOf(*job);
        }
        bounds_[i] = Least(bounds_[i], own);
      }
    }
  }

  // Goes on from node `i`. `victims` are chosen already, at the cost `cost`.
  void Extend(size_t i, uint64_t victims, const EvictionCost& cost) {
    if (taken_.size() == wanted_) return Compare(victims, cost);
    const size_t missing = wanted_ - taken_.size();
    if (options_.size() - i < missing || ++steps_ > kStepsMax) return;
    if (least_ && cost + Times(bounds_[i], missing) >= *least_) return;
    for (const Choice& choice : choices_[i]) {
      if (!taken_.empty() && taken_.front()->trait != choice.option->trait) continue;
      EvictionCost more = cost;
      for (uint64_t rest = choice.victims & ~victims; rest != 0; rest &= rest - 1) {
        more = more + CostOf(*jobs_[static_cast<size_t>(std::countr_zero(rest))]);
      }
      taken_.push_back(choice.option);
      Extend(i + 1, victims | choice.victims, more);
      taken_.pop_back();
    }
    Extend(i + 1, victims, cost);
  }

  void Compare(uint64_t victims, const EvictionCost& cost) {
    if (least_ && cost >= *least_) return;
    std::vector<const Job*> jobs;
    for (uint64_t rest = victims; rest != 0; rest &= rest - 1)
      jobs.push_back(jobs_[static_cast<size_t>(std::countr_zero(rest))]);
    if (!may_evict_(jobs)) return;
    least_ = cost;
    best_ = taken_;
  }

  const std::vector<std::vector<NodeVictims>>& options_;
  const size_t wanted_;
  const MayEvict& may_evict_;
  std::optional<EvictionCost> least_;
  std::vector<const Job*> jobs_;              // possible victims
  std::vector<std::vector<Choice>> choices_;  // by node
  std::vector<EvictionCost> bounds_;          // from each node on
  std::vector<const NodeVictims*> taken_;
  std::vector<const NodeVictims*> best_;
  int steps_ = 0;
};

}  // namespace

std::optional<std::vector<NodeVictims>> CombineNodeVictims(
    const std::vector<std::vector<NodeVictims>>& options, size_t wanted, const MayEvict& may_evict,
    std::optional<EvictionCost> cheaper_than) {
  return Combination(options, wanted, may_evict, cheaper_than).Find();
}

}  // namespace gp
