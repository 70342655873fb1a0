#include "domain/scheduling/combine_rooms.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "domain/cluster/preemption.h"

namespace gp {
namespace {

// Choices that are looked at before the search is content with what it has.
constexpr int kStepsMax = 100'000;
// Those who may leave: bits of one word.
constexpr size_t kLeavingMax = 64;
// More than any node costs.
constexpr int64_t kMuch = int64_t{1} << 40;

int64_t GpusOf(const Job& job) { return int64_t{job.spec->nodes} * job.spec->gpus.count; }

GangCost Plus(const GangCost& a, const GangCost& b) {
  return {std::max(std::get<0>(a), std::get<0>(b)), std::get<1>(a) + std::get<1>(b), std::get<2>(a) + std::get<2>(b)};
}

class Combination {
 public:
  Combination(const std::vector<std::vector<Room>>& rooms, size_t wanted, const RoomSearch::MayGo& may_go, std::optional<GangCost> than)
      : rooms_(rooms), wanted_(wanted), may_go_(may_go), least_(than) {
    for (const std::vector<Room>& node : rooms_) {
      std::vector<Choice>& choices = choices_.emplace_back();
      for (const Room& room : node) choices.push_back({&room, BitsOf(room)});
    }
    BoundFromEachNodeOn();
  }

  std::optional<std::vector<Room>> Find() {
    if (jobs_.size() <= kLeavingMax) Extend(0, 0, {-1, 0, 0});
    if (best_.empty()) return std::nullopt;
    std::vector<Room> found;
    for (const Room* room : best_) found.push_back(*room);
    return found;
  }

 private:
  struct Choice {
    const Room* room;
    uint64_t leaving;  // bits of jobs_
  };

  uint64_t BitsOf(const Room& room) {
    uint64_t bits = 0;
    for (const Job* job : room.leaving) {
      const auto at = static_cast<size_t>(std::ranges::find(jobs_, job) - jobs_.begin());
      if (at == jobs_.size()) jobs_.push_back(job);
      if (at < kLeavingMax) bits |= uint64_t{1} << at;
    }
    return bits;
  }

  // What a node costs at least, of those who leave for it alone, from each node on.
  void BoundFromEachNodeOn() {
    bounds_.assign(rooms_.size() + 1, {-1, kMuch, kMuch});
    for (size_t i = rooms_.size(); i-- > 0;) {
      auto [unused, gpus, jobs] = bounds_[i + 1];
      for (const Room& room : rooms_[i]) {
        int64_t own_gpus = 0;
        size_t own_jobs = 0;
        for (const Job* job : room.leaving) {
          if (job->spec->nodes > 1) continue;
          own_gpus += GpusOf(*job);
          ++own_jobs;
        }
        gpus = std::min(gpus, own_gpus);
        jobs = std::min(jobs, own_jobs);
      }
      bounds_[i] = {-1, gpus, jobs};
    }
  }

  // From node `i` on; those in `leaving` go already, at that cost.
  void Extend(size_t i, uint64_t leaving, const GangCost& cost) {
    if (taken_.size() == wanted_) return Compare(leaving, cost);
    const size_t missing = wanted_ - taken_.size();
    if (rooms_.size() - i < missing || ++steps_ > kStepsMax) return;
    const auto [none, gpus, jobs] = bounds_[i];
    if (least_ && Plus(cost, {none, gpus * static_cast<int64_t>(missing), jobs * missing}) >= *least_) return;
    for (const Choice& choice : choices_[i]) {
      if (!taken_.empty() && taken_.front()->trait != choice.room->trait) continue;
      GangCost more = cost;
      for (uint64_t rest = choice.leaving & ~leaving; rest != 0; rest &= rest - 1) {
        const Job& job = *jobs_[static_cast<size_t>(std::countr_zero(rest))];
        more = Plus(more, {ClassOf(job.spec->priority), GpusOf(job), 1});
      }
      taken_.push_back(choice.room);
      Extend(i + 1, leaving | choice.leaving, more);
      taken_.pop_back();
    }
    Extend(i + 1, leaving, cost);
  }

  void Compare(uint64_t leaving, const GangCost& cost) {
    if (least_ && cost >= *least_) return;
    std::vector<const Job*> jobs;
    for (uint64_t rest = leaving; rest != 0; rest &= rest - 1) jobs.push_back(jobs_[static_cast<size_t>(std::countr_zero(rest))]);
    if (!may_go_(jobs)) return;
    least_ = cost;
    best_ = taken_;
  }

  const std::vector<std::vector<Room>>& rooms_;
  const size_t wanted_;
  const RoomSearch::MayGo& may_go_;
  std::optional<GangCost> least_;
  std::vector<const Job*> jobs_;  // who may leave
  std::vector<std::vector<Choice>> choices_;  // by node
  std::vector<GangCost> bounds_;              // from each node on
  std::vector<const Room*> taken_;
  std::vector<const Room*> best_;
  int steps_ = 0;
};

}  // namespace

GangCost GangCostOf(const std::vector<const Job*>& leaving) {
  GangCost cost{-1, 0, 0};
  for (const Job* job : leaving) cost = Plus(cost, {ClassOf(job->spec->priority), GpusOf(*job), 1});
  return cost;
}

std::optional<std::vector<Room>> CombineRooms(const std::vector<std::vector<Room>>& rooms, size_t wanted,
                                              const RoomSearch::MayGo& may_go, std::optional<GangCost> than) {
  return Combination(rooms, wanted, may_go, than).Find();
}

}  // namespace gp
