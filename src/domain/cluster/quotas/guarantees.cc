#include "domain/cluster/quotas/guarantees.h"

#include <algorithm>

namespace gp {
namespace {

bool AnyGuarantee(const State& state, const std::string& pool) {
  return std::ranges::any_of(state.queues.all, [&](const auto& one) {
    return one.second.guaranteed > 0 && one.second.pool == pool;
  });
}

// What the queues of a pool may hold permanently once the job starts: their holding or their
// guarantee, whichever is more, from the bottom of the tree up.
class Promises {
 public:
  Promises(const State& state, const Job& job, const Holdings& planned, const Holding& ask) {
    const std::vector<std::string> path = PathsTo(job.queue);
    // In reverse order, because a queue comes after the queues above it.
    for (auto next = state.queues.all.rbegin(); next != state.queues.all.rend(); ++next) {
      const auto& [name, queue] = *next;
      if (queue.pool != job.pool) continue;
      const AccountId id{name, ""};
      const auto below = below_.find(name);
      int64_t wanted = below == below_.end()
                           ? HeldOrPlanned(state, planned, id, &Holding::firm_share)
                           : below->second;
      if (name == job.queue) own_ = wanted += ask.firm_share;
      const int64_t guaranteed = queue.guaranteed * kWholeShare;
      is_within_ =
          is_within_ || (wanted <= guaranteed && std::ranges::find(path, name) != path.end());
      below_[ParentOf(name)] += std::max(wanted, guaranteed);
    }
  }

  // Whether the job's queue, or one above it, holds no more than its guarantee.
  bool is_within() const { return is_within_; }
  int64_t own() const { return own_; }  // of the job's queue
  int64_t all() const { return below_.at(""); }

 private:
  std::map<std::string, int64_t> below_;  // by the queue above; "": the pool
  int64_t own_ = 0;
  bool is_within_ = false;
};

}  // namespace

std::optional<QuotaStop> FindGuaranteeStop(const State& state, const Job& job,
                                           const Holdings& planned, const Holding& ask) {
  if (ask.firm_share == 0 || !AnyGuarantee(state, job.pool)) return std::nullopt;
  const Promises promises(state, job, planned, ask);
  const auto installed = state.nodes.capacity.find(job.pool);
  const int64_t capacity =
      installed == state.nodes.capacity.end() ? 0 : installed->second * kWholeShare;
  if (promises.is_within() || promises.all() <= capacity) return std::nullopt;
  // The queue's whole holding counts up to the top, because no queue above is within its guarantee.
  const int64_t left = std::max<int64_t>(promises.own() - (promises.all() - capacity), 0);
  return QuotaStop{QuotaStop::Kind::kGuarantees,
                   {job.queue, ""},
                   ask.firm_share,
                   promises.own() - ask.firm_share,
                   left};
}

}  // namespace gp
