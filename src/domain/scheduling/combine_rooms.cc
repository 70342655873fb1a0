#include "domain/scheduling/combine_rooms.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <utility>

namespace gp {
namespace {

// Choices that are looked at before the search is content with what it has.
constexpr int kStepsMax = 100'000;
// Those who may leave: bits of one word.
constexpr size_t kLeavingMax = 64;
// More than any node costs, and less than would overflow when it is added up.
constexpr LeavingCost kMuch{INT_MAX, int64_t{1} << 40, size_t{1} << 40, int64_t{1} << 40};

LeavingCost Least(const LeavingCost& a, const LeavingCost& b) {
  return {std::min(a.priority, b.priority), std::min(a.gpus, b.gpus), std::min(a.jobs, b.jobs),
          std::min(a.priorities, b.priorities)};
}

LeavingCost Times(const LeavingCost& cost, size_t nodes) {
  const auto times = static_cast<int64_t>(nodes);
  return {cost.priority, cost.gpus * times, cost.jobs * nodes, cost.priorities * times};
}

class Combination {
 public:
  Combination(const std::vector<std::vector<Room>>& rooms, size_t wanted,
              const RoomSearch::MayGo& may_go, std::optional<LeavingCost> than)
      : rooms_(rooms), wanted_(wanted), may_go_(may_go), least_(than) {
    for (const std::vector<Room>& node : rooms_) {
      std::vector<Choice>& choices = choices_.emplace_back();
      for (const Room& room : node) choices.push_back({&room, BitsOf(room)});
    }
    BoundFromEachNodeOn();
  }

  std::optional<std::vector<Room>> Find() {
    if (jobs_.size() <= kLeavingMax) Extend(0, 0, {});
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
    bounds_.assign(rooms_.size() + 1, kMuch);
    for (size_t i = rooms_.size(); i-- > 0;) {
      bounds_[i] = bounds_[i + 1];
      for (const Room& room : rooms_[i]) {
        LeavingCost own;
        for (const Job* job : room.leaving) {
          if (job->spec->nodes == 1) own = own + CostOf(*job);
        }
        bounds_[i] = Least(bounds_[i], own);
      }
    }
  }

  // From node `i` on; those in `leaving` go already, at that cost.
  void Extend(size_t i, uint64_t leaving, const LeavingCost& cost) {
    if (taken_.size() == wanted_) return Compare(leaving, cost);
    const size_t missing = wanted_ - taken_.size();
    if (rooms_.size() - i < missing || ++steps_ > kStepsMax) return;
    if (least_ && cost + Times(bounds_[i], missing) >= *least_) return;
    for (const Choice& choice : choices_[i]) {
      if (!taken_.empty() && taken_.front()->trait != choice.room->trait) continue;
      LeavingCost more = cost;
      for (uint64_t rest = choice.leaving & ~leaving; rest != 0; rest &= rest - 1) {
        more = more + CostOf(*jobs_[static_cast<size_t>(std::countr_zero(rest))]);
      }
      taken_.push_back(choice.room);
      Extend(i + 1, leaving | choice.leaving, more);
      taken_.pop_back();
    }
    Extend(i + 1, leaving, cost);
  }

  void Compare(uint64_t leaving, const LeavingCost& cost) {
    if (least_ && cost >= *least_) return;
    std::vector<const Job*> jobs;
    for (uint64_t rest = leaving; rest != 0; rest &= rest - 1)
      jobs.push_back(jobs_[static_cast<size_t>(std::countr_zero(rest))]);
    if (!may_go_(jobs)) return;
    least_ = cost;
    best_ = taken_;
  }

  const std::vector<std::vector<Room>>& rooms_;
  const size_t wanted_;
  const RoomSearch::MayGo& may_go_;
  std::optional<LeavingCost> least_;
  std::vector<const Job*> jobs_;              // who may leave
  std::vector<std::vector<Choice>> choices_;  // by node
  std::vector<LeavingCost> bounds_;           // from each node on
  std::vector<const Room*> taken_;
  std::vector<const Room*> best_;
  int steps_ = 0;
};

}  // namespace

std::optional<std::vector<Room>> CombineRooms(const std::vector<std::vector<Room>>& rooms,
                                              size_t wanted, const RoomSearch::MayGo& may_go,
                                              std::optional<LeavingCost> than) {
  return Combination(rooms, wanted, may_go, than).Find();
}

}  // namespace gp
