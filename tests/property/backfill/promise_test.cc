// A job with a backfill reservation starts at its shadow time or before: no backfilled job delays
// it.  GP_SEEDS: how many clusters.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "base/rng.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

class Cluster {
 public:
  explicit Cluster(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    nodes_ = rng_.Between(2, 5);
    for (int i = 0; i < nodes_; ++i) engine_.AddNode(PlainNode(i, 8));
  }

  // Jobs of one user come at random, most with a time limit, and leave before it or at it.
  void Run(int steps) {
    for (int i = 0; i < steps; ++i) {
      engine_.AdvanceTo(engine_.now() + Duration::Seconds(rng_.Between(1, 1'200)));
      FinishDue();
      if (rng_.Chance(2, 3)) Submit();
      Pass();
    }
  }

  int promises() const { return static_cast<int>(promised_.size()); }
  int let_in() const { return let_in_; }
  int unlimited() const { return unlimited_; }

 private:
  void Submit() {
    auto spec = std::make_shared<JobSpec>();
    spec->program.command = {"train"};
    spec->resources.gpus.count = rng_.Between(1, 8);
    spec->resources.nodes = rng_.Chance(1, 4) ? rng_.Between(2, nodes_) : 1;
    spec->resources.cpus = 1;
    spec->resources.memory_bytes = int64_t{1} << 30;
    if (rng_.Chance(9, 10)) spec->policy.time_limit = Duration::Minutes(rng_.Between(1, 180));
    ASSERT_TRUE(engine_.Submit(spec, {"ana", 1000, 1000}).has_value());
  }

  void FinishDue() {
    while (!ends_.empty() && ends_.begin()->first <= engine_.now()) {
      engine_.Finish(ends_.begin()->second);
      ends_.erase(ends_.begin());
    }
  }

  void Pass() {
    const std::map<NodeId, BackfillReservation> backfill_before = backfill_;
    const Plan plan = engine_.Pass();
    for (const PlaceGang& placed : plan.Placements()) {
      engine_.Start(placed.job);
      const Job& job = *engine_.state().FindJob(placed.job);
      const int64_t seconds =
          job.spec->policy.time_limit.ns == 0 ? 100'000 : job.spec->policy.time_limit.ToSeconds();
      const bool to_the_limit = rng_.Chance(1, 3);
      const int part = rng_.Between(1, 100);
      ends_.insert(
          {engine_.now() + Duration::Seconds(to_the_limit ? seconds : seconds * part / 100),
           job.id});
      CheckStart(job);
      let_in_ += std::ranges::any_of(placed.ranks, [&](const RankPlacement& rank) {
        const auto backfill = backfill_before.find(rank.node);
        return backfill != backfill_before.end() && backfill->second.job != job.id;
      });
    }
    for (const PlaceGang& placed : plan.Placements())
      CheckLetIn(placed, backfill_before, plan.backfill);
    backfill_ = plan.backfill;
    for (const auto& [node, backfill] : backfill_) CheckPromise(backfill);
  }

  // Whoever has no time limit, and comes later, starts on no node that is kept for another.
  void CheckLetIn(const PlaceGang& placed, const std::map<NodeId, BackfillReservation>& before,
                  const std::map<NodeId, BackfillReservation>& now) {
    if (engine_.state().FindJob(placed.job)->spec->policy.time_limit.ns != 0) return;
    for (const RankPlacement& rank : placed.ranks) {
      const auto was = before.find(rank.node);
      const auto is = now.find(rank.node);
      const bool is_kept =
          was != before.end() && is != now.end() && was->second.job == is->second.job;
      EXPECT_FALSE(is_kept && is->second.job < placed.job)
          << ToText(placed.job) << " starts where " << ToText(is->second.job) << " waits";
      unlimited_ += 1;
    }
  }

  void CheckPromise(const BackfillReservation& backfill) {
    if (!HasShadowTime(backfill)) return;
    const auto [known, is_new] = promised_.try_emplace(backfill.job, backfill.shadow_time);
    EXPECT_LE(backfill.shadow_time, known->second)
        << ToText(backfill.job) << " was promised an earlier start";
    known->second = std::min(known->second, backfill.shadow_time);
  }

  void CheckStart(const Job& job) {
    const auto promised = promised_.find(job.id);
    if (promised == promised_.end()) return;
    // Time goes in steps of up to 1,200 s here: what is due within one is seen at its end.
    EXPECT_LE(engine_.now(), promised->second + Duration::Seconds(1'200))
        << ToText(job.id) << " starts later than promised";
  }

  Rng rng_;
  Engine engine_;
  int nodes_ = 0;
  int let_in_ = 0;
  int unlimited_ = 0;  // ranks placed of those without a time limit
  std::map<NodeId, BackfillReservation> backfill_;
  std::set<std::pair<Instant, JobId>> ends_;
  std::map<JobId, Instant> promised_;
};

TEST(Backfill, NobodyIsDelayedByThoseWhoAreLetIn) {
  const char* text = std::getenv("GP_SEEDS");
  const int seeds = text == nullptr ? 100 : std::atoi(text);
  int promises = 0;
  int let_in = 0;
  int unlimited = 0;
  for (int seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Cluster cluster(static_cast<uint64_t>(seed));
    cluster.Run(400);
    promises += cluster.promises();
    let_in += cluster.let_in();
    unlimited += cluster.unlimited();
  }
  std::printf(
      "%d jobs were promised a start and had it by then; %d others were let in before them\n",
      promises, let_in);
  EXPECT_GT(promises, seeds);
  EXPECT_GT(let_in, seeds);
  EXPECT_GT(unlimited, seeds);
}

}  // namespace
}  // namespace gp
