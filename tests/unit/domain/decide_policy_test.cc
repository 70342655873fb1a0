// Which policies a controller takes: each number at its limit, and one beyond it.

#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

using PolicyEdit = std::function<void(Policy&)>;

class DecidePolicy : public ClusterFixture {
 protected:
  // The refusal is the same at the start and while the controller runs.
  std::string RefusalOf(const PolicyEdit& edit) {
    Policy policy = cluster_.state().policy;
    edit(policy);
    const std::string refusal = Refusal(SetPolicy{policy, "test"});
    EXPECT_EQ(Refusal(StartController{policy}), refusal);
    return refusal;
  }
  void ExpectLegal(const std::vector<PolicyEdit>& edits) {
    int number = 0;
    for (const PolicyEdit& edit : edits) EXPECT_EQ(RefusalOf(edit), "") << number++;
  }
  void ExpectRefused(const std::string& message, const std::vector<PolicyEdit>& edits) {
    int number = 0;
    for (const PolicyEdit& edit : edits)
      EXPECT_EQ(RefusalOf(edit), "invalid-argument: policy: " + message) << number++;
  }
};

constexpr Duration kOneMore{1};

TEST_F(DecidePolicy, TimesOfLeasesAreAboveZero) {
  for (const bool end_time : {false, true}) {
    Policy policy = cluster_.state().policy;
    (end_time ? policy.lease_end_time : policy.lease_time) = {};
    EXPECT_EQ(Refusal(StartController{policy}),
              "invalid-argument: policy: lease_time and lease_end_time must be above zero");
  }
}

// Supervisors on the nodes were started with these times.
TEST_F(DecidePolicy, TimesOfLeasesStayWhileTheControllerRuns) {
  Policy policy = cluster_.state().policy;
  policy.lease_time = policy.lease_time + kOneMore;
  const std::string refusal =
      "invalid-argument: policy: times of leases stay as they were when the controller began: "
      "start it again with others";
  EXPECT_EQ(Refusal(SetPolicy{policy, ""}), refusal);
  EXPECT_EQ(Refusal(StartController{policy}), "");
  EXPECT_EQ(Refusal(SetPolicy{policy, ""}), "");
  policy.lease_end_time = policy.lease_end_time + kOneMore;
  EXPECT_EQ(Refusal(SetPolicy{policy, ""}), refusal);
}

TEST_F(DecidePolicy, MinRun) {
  ExpectLegal({[](Policy& p) { p.min_run = {}; }, [](Policy& p) { p.min_run = kTimeLimitMax; }});
  ExpectRefused("min_run must be between 0 and 3650d",
                {[](Policy& p) { p.min_run = Duration{-1}; },
                 [](Policy& p) { p.min_run = kTimeLimitMax + kOneMore; }});
}

TEST_F(DecidePolicy, TimesOfShares) {
  ExpectLegal({[](Policy& p) { p.share_half_life = Duration::Milliseconds(1); },
               [](Policy& p) { p.usage_period = Duration::Milliseconds(1); },
               [](Policy& p) { p.share_horizon = {}; }, [](Policy& p) { p.age_after = {}; },
               [](Policy& p) { p.reclaim_grace = {}; }});
  ExpectRefused(
      "times of shares must not be below zero, nor share_half_life and usage_period below 1 ms",
      {[](Policy& p) { p.share_half_life = Duration::Milliseconds(1) - kOneMore; },
       [](Policy& p) { p.usage_period = Duration::Milliseconds(1) - kOneMore; },
       [](Policy& p) { p.share_horizon = Duration{-1}; },
       [](Policy& p) { p.age_after = Duration{-1}; },
       [](Policy& p) { p.reclaim_grace = Duration{-1}; }});
}

TEST_F(DecidePolicy, ClassFloor) {
  ExpectLegal({[](Policy& p) { p.class_floor = 0; }, [](Policy& p) { p.class_floor = 100; }});
  ExpectRefused("class_floor must be between 0 and 100",
                {[](Policy& p) { p.class_floor = -1; }, [](Policy& p) { p.class_floor = 101; }});
}

TEST_F(DecidePolicy, Moves) {
  ExpectLegal({[](Policy& p) { p.move_cost = {}; }, [](Policy& p) { p.move_interval = {}; },
               [](Policy& p) { p.moves_per_hour = 0; }});
  ExpectRefused("move_cost, move_interval and moves_per_hour must not be below zero",
                {[](Policy& p) { p.move_cost = Duration{-1}; },
                 [](Policy& p) { p.move_interval = Duration{-1}; },
                 [](Policy& p) { p.moves_per_hour = -1; }});
}

TEST_F(DecidePolicy, HowLongFinishedJobsAreKept) {
  ExpectLegal({[](Policy& p) { p.jobs_kept_for = kTimeLimitMax; },
               [](Policy& p) { p.jobs_kept_for = {}; }});
  ExpectRefused("jobs_kept_for must be between 0 and 3650d",
                {[](Policy& p) { p.jobs_kept_for = Duration{-1}; },
                 [](Policy& p) { p.jobs_kept_for = kTimeLimitMax + kOneMore; }});
}

// Each class and interactive jobs have a rule of their own, and each is checked.
TEST_F(DecidePolicy, UnderUse) {
  for (UnderUseRule UnderUsePolicy::* const rule :
       {&UnderUsePolicy::high, &UnderUsePolicy::medium, &UnderUsePolicy::low,
        &UnderUsePolicy::interactive}) {
    ExpectLegal({[=](Policy& p) { p.under_use.*rule = {0, {}, {}}; },
                 [=](Policy& p) { p.under_use.*rule = {100, kTimeLimitMax, kTimeLimitMax}; }});
    ExpectRefused("under_use: below must be between 0 and 100, times between 0 and 3650d",
                  {[=](Policy& p) { (p.under_use.*rule).below_percent = -1; },
                   [=](Policy& p) { (p.under_use.*rule).below_percent = 101; },
                   [=](Policy& p) { (p.under_use.*rule).warn_after = Duration{-1}; },
                   [=](Policy& p) { (p.under_use.*rule).warn_after = kTimeLimitMax + kOneMore; },
                   [=](Policy& p) { (p.under_use.*rule).stop_after = Duration{-1}; },
                   [=](Policy& p) { (p.under_use.*rule).stop_after = kTimeLimitMax + kOneMore; }});
  }
}

TEST_F(DecidePolicy, WeightsOfPlacement) {
  for (int PlacementWeights::* const weight :
       {&PlacementWeights::numa, &PlacementWeights::nvlink, &PlacementWeights::fragmentation,
        &PlacementWeights::best_fit, &PlacementWeights::spread, &PlacementWeights::model_fit}) {
    const std::string most = std::to_string(kPlacementWeightMax);
    ExpectLegal({[=](Policy& p) { p.placement["big"].*weight = kPlacementWeightMax; }});
    ExpectRefused("placement.big: weights must be between 0 and " + most + ", not -1",
                  {[=](Policy& p) { p.placement["big"].*weight = -1; }});
    ExpectRefused("placement.big: weights must be between 0 and " + most + ", not " +
                      std::to_string(kPlacementWeightMax + 1),
                  {[=](Policy& p) { p.placement["big"].*weight = kPlacementWeightMax + 1; }});
  }
}

TEST_F(DecidePolicy, WeightsOfAtMostSoManyPools) {
  const auto pools = [](size_t count) {
    return [count](Policy& p) {
      p.placement.clear();
      for (size_t i = 0; i < count; ++i) p.placement["p" + std::to_string(i)];
    };
  };
  ExpectLegal({pools(kPoolsWeighedMax)});
  ExpectRefused("placement: at most " + std::to_string(kPoolsWeighedMax) + " pools, not " +
                    std::to_string(kPoolsWeighedMax + 1),
                {pools(kPoolsWeighedMax + 1)});
}

// Single GPUs become free all the time: nodes are not kept for them before five minutes.
TEST(ReservesAfterTime, IsAtLeastFiveMinutesForLittle) {
  Policy policy;
  const auto after = [&](const std::function<void(JobSpec&)>& edit) {
    JobSpec spec;
    edit(spec);
    return ReservesAfter(policy, spec);
  };
  const auto several = [](JobSpec& s) { s.resources.gpus.count = 2; };
  const auto gang = [](JobSpec& s) { s.resources.nodes = 2; };
  const auto single = [](JobSpec&) {};
  const auto cores = [](JobSpec& s) { s.resources.gpus.count = 0; };
  const auto gang_of_cores = [](JobSpec& s) {
    s.resources.gpus.count = 0;
    s.resources.nodes = 4;
  };
  const auto parts = [](JobSpec& s) {
    s.resources.gpus.count = 4;
    s.resources.gpus.isolation = Isolation::kTimeslice;
    s.resources.gpus.share_thousandths = 500;
  };
  for (const Duration own : {Duration{}, Duration::Minutes(2), Duration::Minutes(7)}) {
    policy.reserve_after = own;
    const Duration late = std::max(own, Duration::Minutes(5));
    EXPECT_EQ(after(several), own);
    EXPECT_EQ(after(gang), own);
    EXPECT_EQ(after(single), late);
    EXPECT_EQ(after(cores), late);
    EXPECT_EQ(after(gang_of_cores), late);
    EXPECT_EQ(after(parts), late);
  }
}

// Under another journal the leases of the old one may still run: for the longer of both times.
TEST_F(DecidePolicy, AfterACutNothingIsPlacedUntilTheLongerLeasesAreOver) {
  const auto start = [&](Duration lease, bool cut) {
    Policy policy = cluster_.state().policy;
    policy.lease_time = lease;
    Do(StartController{policy, 0, cut});
    return cluster_.state().quiet_until;
  };
  const Duration end = cluster_.state().policy.lease_end_time;
  EXPECT_EQ(start(Duration::Seconds(60), false), Instant{});
  EXPECT_EQ(start(Duration::Seconds(10), true), cluster_.now() + Duration::Seconds(60) + end);
  EXPECT_EQ(start(Duration::Seconds(90), true), cluster_.now() + Duration::Seconds(90) + end);
  const Instant quiet = cluster_.state().quiet_until;
  EXPECT_EQ(start(Duration::Seconds(10), false), quiet) << "it stays over a start";
}

TEST_F(DecidePolicy, TheWallClockIsSteppedOnce) {
  EXPECT_EQ(Do(StepWallClock{Duration::Minutes(60)}).size(), 1U);
  EXPECT_TRUE(Do(StepWallClock{Duration::Minutes(60)}).empty());
  EXPECT_EQ(cluster_.state().time.wall, Duration::Minutes(60));
}

}  // namespace
}  // namespace gp
