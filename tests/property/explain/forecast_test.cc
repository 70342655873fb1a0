// Where everybody runs to its time limit and nobody else comes, a forecast is not off by a second:
// what it plays is what the engine does.  GP_SEEDS: how many clusters.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/rng.h"
#include "domain/cluster/next_deadline.h"
#include "domain/explaining/forecast.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

// Gangs, classes, interruptions, shares, quotas, reservations, jobs that wait for others.
class Cluster {
 public:
  explicit Cluster(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    nodes_ = rng_.Between(1, 4);
    for (int i = 0; i < nodes_; ++i) engine_.AddNode(PlainNode(i, 8));
    SetQueue queue;
    queue.name = "research";
    queue.weight = 3;
    if (rng_.Chance(1, 2)) queue.user_limit.gpus = 8;
    if (rng_.Chance(1, 3)) queue.guaranteed = 4;
    (void)engine_.Execute(queue);
    if (rng_.Chance(1, 3)) Reserve();
    for (int i = rng_.Between(5, 40); i > 0; --i) {
      Submit();
      Settle();
      if (rng_.Chance(2, 3)) PlayUntil(engine_.now() + Duration::Minutes(rng_.Between(0, 40)));
    }
    Settle();  // a forecast begins with a pass
  }

  const Engine& engine() const { return engine_; }
  int interruptions() const { return interruptions_; }

  void PlayUntil(Instant end) {
    for (Instant next = NextInstant(); next <= end; next = NextInstant()) Step(next);
    engine_.AdvanceTo(end);
  }
  // kNever: it never starts.
  Instant PlayUntilStarted(JobId job) {
    const auto attempts = engine_.state().FindJob(job)->attempts.size();
    while (engine_.state().FindJob(job)->attempts.size() == attempts) {
      const Instant next = NextInstant();
      if (next == kNever) return kNever;
      Step(next);
    }
    return engine_.state().FindJob(job)->attempts.back().placed_at;
  }

 private:
  void Reserve() {
    ReserveNodes reserve;
    reserve.reservation.name = "course";
    reserve.reservation.nodes = {NodeId{0}};
    reserve.reservation.starts_at = engine_.now() + Duration::Minutes(rng_.Between(100, 500));
    reserve.reservation.ends_at = reserve.reservation.starts_at + Duration::Minutes(120);
    EXPECT_TRUE(engine_.Execute(reserve).has_value());
  }

  void Submit() {
    JobSpec spec;
    spec.program.command = {"train"};
    spec.policy.queue = rng_.Chance(1, 2) ? "research" : "default";
    spec.resources.gpus.count = rng_.Between(1, 8);
    spec.resources.nodes = rng_.Chance(1, 5) ? rng_.Between(1, nodes_) : 1;
    spec.resources.cpus = 1;
    spec.resources.memory_bytes = int64_t{1} << 30;
    spec.policy.time_limit = Duration::Minutes(rng_.Between(5, 300));
    spec.policy.preemptible = rng_.Chance(1, 3);
    spec.policy.priority = 250 * rng_.Between(1, 3);
    if (engine_.state().jobs.last > 0 && rng_.Chance(1, 8))
      spec.policy.after = {{JobId{engine_.state().jobs.last}, AfterKind::kEnded}};
    (void)engine_.Submit(std::make_shared<const JobSpec>(spec),
                         {rng_.Chance(1, 2) ? "ana" : "ben", 1000, 1000});
  }

  Instant NextInstant() const {
    Instant next = ends_.empty() ? kNever : ends_.begin()->first;
    if (const Instant deadline = NextDeadline(engine_.state()); deadline.ns != 0)
      next = std::min(next, deadline);
    if (look_again_at_.ns != 0) next = std::min(next, look_again_at_);
    return next == kNever ? next : std::max(next, engine_.now());
  }

  void Step(Instant next) {
    engine_.AdvanceTo(next);
    while (!ends_.empty() && ends_.begin()->first <= next) {
      const JobId job = ends_.begin()->second;
      ends_.erase(ends_.begin());
      engine_.Finish(job);
    }
    if (const Instant deadline = NextDeadline(engine_.state());
        deadline.ns != 0 && deadline <= next)
      Tell(*engine_.Execute(Tick{}));
    Settle();
  }

  void Tell(const std::vector<Event>& events) {
    for (const Event& event : events) {
      if (const auto* stop = std::get_if<JobStopOrdered>(&event)) Interrupt(stop->job);
    }
  }

  void Settle() {
    for (bool again = true; again;) {
      const Plan plan = engine_.Pass();
      again = !plan.steps.empty();
      look_again_at_ = plan.look_again_at;
      for (const Plan::Step& step : plan.steps) {
        if (const auto* placed = std::get_if<PlaceGang>(&step)) {
          engine_.Start(placed->job);
          ends_.insert({LimitOf(placed->job), placed->job});
        } else {
          Interrupt(std::get<PreemptJob>(step).job);
        }
      }
    }
  }

  Instant LimitOf(JobId id) const {
    const Job& job = *engine_.state().FindJob(id);
    return job.attempts.back().placed_at + job.spec->policy.time_limit;
  }

  void Interrupt(JobId job) {
    ends_.erase({LimitOf(job), job});
    engine_.Stop(job);
    ++interruptions_;
  }

  Rng rng_;
  Engine engine_;
  int nodes_ = 0;
  int interruptions_ = 0;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
};

TEST(Forecasting, IsExactWhereEverybodyRunsToItsLimit) {
  const char* text = std::getenv("GP_SEEDS");
  const uint64_t seeds = text == nullptr ? 60 : std::strtoull(text, nullptr, 10);
  int asked = 0;
  int never = 0;
  int interruptions = 0;
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Cluster cluster(seed);
    const Present present = TakePresent(cluster.engine().state());
    for (const JobId job : present.state.jobs.queued) {
      // Nothing tells but limits: the past is left out.
      const Forecast forecast = ForecastStart(present, Lengths({}), cluster.engine().now(), job);
      Cluster played = cluster;
      const Instant start = played.PlayUntilStarted(job);
      EXPECT_EQ(forecast.median.value_or(kNever), start) << ToText(job) << ": " << forecast.text;
      EXPECT_EQ(forecast.earliest, forecast.latest);
      ++asked;
      never += start == kNever ? 1 : 0;
      interruptions += played.interruptions();
    }
  }
  std::printf("%d waiting jobs, %d never start, %d interruptions\n", asked, never, interruptions);
  EXPECT_GT(asked, static_cast<int>(seeds));
  EXPECT_GT(interruptions, static_cast<int>(seeds) / 10);
}

}  // namespace
}  // namespace gp
