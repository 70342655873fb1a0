#include "domain/explaining/forecast.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "domain/explaining/cost.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

class Forecasts : public testing::Test {
 protected:
  void SetUp() override {
    engine_.AdvanceTo(kStart);
    engine_.AddNode(PlainNode(0, 8));
  }

  JobId Submit(int gpus, Duration limit = {}, const std::function<void(JobSpec&)>& edit = {}) {
    JobSpec spec;
    spec.program.command = {"train"};
    spec.resources.gpus.count = gpus;
    spec.resources.cpus = 1;
    spec.resources.memory_bytes = int64_t{1} << 30;
    spec.policy.time_limit = limit;
    if (edit) edit(spec);
    const auto job = engine_.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
    EXPECT_TRUE(job.has_value());
    for (const PlaceGang& placed : engine_.Pass().Placements()) engine_.Start(placed.job);
    return *job;
  }
  void Finished(int minutes) {
    const JobId job = Submit(8);
    engine_.AdvanceTo(engine_.now() + Duration::Minutes(minutes));
    engine_.Finish(job);
  }
  Forecast Ask(JobId job, int64_t steps = kForecastSteps) const {
    const Present present = TakePresent(engine_.state());
    return ForecastStart(present, Lengths(present.past), engine_.now(), job, steps);
  }
  Cost CostOfA(int gpus, Duration limit = {}) const {
    const Present present = TakePresent(engine_.state());
    Job job;
    JobSpec spec;
    spec.resources.gpus.count = gpus;
    spec.policy.time_limit = limit;
    job.spec = std::make_shared<const JobSpec>(spec);
    job.user.name = "ana";
    return CostOf(present.state, Lengths(present.past), engine_.now(), job);
  }

  static constexpr Instant kStart{1'700'000'000'000'000'000};
  Engine engine_;
};

TEST_F(Forecasts, ByTimeLimitsAloneItIsOneMoment) {
  Submit(8, Duration::Minutes(60));
  Submit(8, Duration::Minutes(30));
  const JobId job = Submit(8);
  const Forecast forecast = Ask(job);
  EXPECT_EQ(forecast.median, kStart + Duration::Minutes(90));
  EXPECT_EQ(forecast.earliest, forecast.latest);
  EXPECT_EQ(forecast.plays, 1);
  EXPECT_EQ(forecast.text, "expected to start at " + ToRfc3339(kStart + Duration::Minutes(90)) +
                               ", if jobs run to their time limits");
}

TEST_F(Forecasts, ThePastMakesItAnInterval) {
  for (int minutes = 10; minutes <= 60; minutes += 10) Finished(minutes);
  Submit(8);
  const JobId job = Submit(8);
  const Forecast forecast = Ask(job);
  EXPECT_EQ(forecast.plays, kSlices);
  EXPECT_EQ(forecast.alike, 6u);
  ASSERT_TRUE(forecast.earliest && forecast.median && forecast.latest);
  EXPECT_GE(*forecast.earliest, engine_.now() + Duration::Minutes(10));
  EXPECT_LT(*forecast.earliest, *forecast.median);
  EXPECT_LT(*forecast.median, *forecast.latest);
  EXPECT_LE(*forecast.latest, engine_.now() + Duration::Minutes(60));
  EXPECT_NE(forecast.text.find("from 6 finished jobs like those that run"), std::string::npos)
      << forecast.text;
}

TEST_F(Forecasts, WhatIsDoneAlreadyCounts) {
  for (int i = 0; i < 12; ++i) Finished(i % 2 == 0 ? 60 : 20);
  Submit(8);
  const JobId job = Submit(8);
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(21));
  EXPECT_EQ(Ask(job).earliest, engine_.now() + Duration::Minutes(39))
      << "it is none of those that took 20 min";
  EXPECT_EQ(Ask(job).latest, engine_.now() + Duration::Minutes(39));
}

TEST_F(Forecasts, NobodyRunsBeyondItsTimeLimit) {
  for (int minutes = 40; minutes <= 90; minutes += 10) Finished(minutes);
  Submit(8, Duration::Minutes(30));
  const Forecast forecast = Ask(Submit(8));
  EXPECT_EQ(forecast.latest, engine_.now() + Duration::Minutes(30));
  EXPECT_NE(forecast.text.find("from time limits and 6 finished jobs"), std::string::npos)
      << forecast.text;
}

// A job that gave way keeps its work: what is left of it is less.
TEST_F(Forecasts, WorkThatIsKeptIsNotDoneTwice) {
  for (int i = 0; i < 6; ++i) Finished(60);
  const JobId low = Submit(8, {}, [](JobSpec& spec) {
    spec.policy.preemptible = true;
    spec.policy.priority = 300;
  });
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(40));
  Submit(8, Duration::Minutes(10), [](JobSpec& spec) { spec.policy.priority = 900; });
  ASSERT_NE(engine_.state().FindJob(low)->preempted_for, JobId{});
  engine_.Stop(low);
  for (const PlaceGang& placed : engine_.Pass().Placements()) engine_.Start(placed.job);
  const JobId job = Submit(8, {}, [](JobSpec& spec) { spec.policy.priority = 250; });
  ASSERT_EQ(engine_.state().FindJob(low)->state, JobState::kQueued);
  EXPECT_EQ(Ask(job).median, engine_.now() + Duration::Minutes(10 + 20));
}

TEST_F(Forecasts, WhatOnlySomePlaysReachHasNoEnd) {
  for (int i = 0; i < 5; ++i) Finished(10);
  Finished(40 * 24 * 60);
  Submit(8);
  const Forecast forecast = Ask(Submit(8));
  EXPECT_EQ(forecast.median, engine_.now() + Duration::Minutes(10));
  EXPECT_FALSE(forecast.latest.has_value()) << "one of six took 40 days";
  EXPECT_NE(forecast.text.find(" or later "), std::string::npos) << forecast.text;
}

TEST_F(Forecasts, WhoHasNoEndIsNamed) {
  const JobId first = Submit(8);
  const Forecast forecast = Ask(Submit(1));
  EXPECT_EQ(forecast.outcome, Future::Outcome::kUnknown);
  EXPECT_EQ(forecast.endless, std::vector{first});
  EXPECT_FALSE(forecast.median.has_value());
  EXPECT_EQ(forecast.text, "no forecast: " + ToText(first) +
                               " has no time limit and nothing like it has finished yet");
}

TEST_F(Forecasts, WhoseEndWouldNotHelpIsNotNamed) {
  Submit(1);
  ASSERT_TRUE(engine_.Execute(ChangeService{NodeId{0}, 7, ServiceAction::kDrain, false, "ana: fan"})
                  .has_value());
  Submit(7, Duration::Minutes(60));
  const Forecast forecast = Ask(Submit(8));
  EXPECT_EQ(forecast.outcome, Future::Outcome::kWaitsOn) << "a GPU is out of service";
  EXPECT_EQ(forecast.text,
            "not expected to start as things are, even after all running jobs have completed");
}

TEST_F(Forecasts, WhoEndsInTimeIsEnough) {
  Submit(4);
  Submit(4, Duration::Minutes(60));
  EXPECT_EQ(Ask(Submit(4)).median, kStart + Duration::Minutes(60)) << "the other one need not end";
}

TEST_F(Forecasts, OnALostNodeNobodyKnows) {
  const JobId first = Submit(8, Duration::Minutes(60));
  ASSERT_TRUE(engine_.Execute(ExpireHeartbeat{NodeId{0}}).has_value());
  const Forecast forecast = Ask(Submit(8));
  EXPECT_FALSE(forecast.median.has_value());
  EXPECT_EQ(forecast.text, "no forecast: " + ToText(first) + " is on a node that is lost");
}

TEST_F(Forecasts, WhatNobodysEndMendsIsToldSo) {
  Submit(8, Duration::Minutes(60));
  ASSERT_TRUE(engine_.Execute(ChangeService{NodeId{0}, -1, ServiceAction::kDrain, false, "test"})
                  .has_value());
  EXPECT_EQ(Ask(Submit(8)).outcome, Future::Outcome::kWaitsOn);
}

TEST_F(Forecasts, BeyondTheHorizonIsTooFar) {
  Submit(8, kForecastHorizon + Duration::Minutes(1));
  EXPECT_EQ(Ask(Submit(8)).outcome, Future::Outcome::kTooFar);
}

TEST_F(Forecasts, TheBudgetEndsIt) {
  for (int i = 0; i < 40; ++i) Submit(8, Duration::Minutes(10));
  const JobId job = Submit(8);
  EXPECT_EQ(Ask(job, 20).outcome, Future::Outcome::kTooManySteps);
  EXPECT_EQ(Ask(job).median, kStart + Duration::Minutes(400));
}

TEST_F(Forecasts, FewPlaysMakeNoInterval) {
  for (int minutes = 10; minutes <= 60; minutes += 10) Finished(minutes);
  for (int i = 0; i < 10; ++i) Submit(8);
  const JobId job = Submit(8);
  std::set<int> plays;
  for (int64_t steps = 10; steps < 1'000; steps += 10) {
    const Forecast forecast = Ask(job, steps);
    if (forecast.median) {
      plays.insert(forecast.plays);
    } else {
      EXPECT_EQ(forecast.outcome, Future::Outcome::kTooManySteps);
    }
  }
  EXPECT_EQ(*plays.begin(), kPlaysMin);
  EXPECT_EQ(*plays.rbegin(), kSlices);
}

TEST_F(Forecasts, AskingTwiceGivesTheSame) {
  for (int minutes = 10; minutes <= 60; minutes += 10) Finished(minutes);
  for (int i = 0; i < 5; ++i) Submit(8);
  const JobId job = Submit(3);
  EXPECT_EQ(Ask(job).text, Ask(job).text);
}

TEST_F(Forecasts, WhoWaitsForAnotherStartsBehindIt) {
  const JobId first = Submit(4, Duration::Minutes(60));
  const JobId job =
      Submit(1, {}, [&](JobSpec& spec) { spec.policy.after = {{first, AfterKind::kOk}}; });
  ASSERT_EQ(engine_.state().FindJob(job)->state, JobState::kBlocked);
  EXPECT_EQ(Ask(job).median, kStart + Duration::Minutes(60));
}

TEST_F(Forecasts, WhoWaitsForAFailureIsNotExpectedToStart) {
  const JobId first = Submit(4, Duration::Minutes(60));
  const Forecast forecast =
      Ask(Submit(1, {}, [&](JobSpec& spec) { spec.policy.after = {{first, AfterKind::kFailed}}; }));
  EXPECT_EQ(forecast.outcome, Future::Outcome::kWaitsOn);
}

TEST_F(Forecasts, CostIsGpuHoursAndSaysWhereFrom) {
  EXPECT_EQ(CostOfA(8).text,
            "not known: it has no time limit, and nothing like it has finished yet");
  EXPECT_EQ(CostOfA(8, Duration::Minutes(90)).text,
            "at most 12.0 GPU-hours, if it runs to its time limit");
  for (int minutes = 10; minutes <= 100; minutes += 10) Finished(minutes);
  EXPECT_EQ(CostOfA(8).text, "2.7 to 13.4 GPU-hours (median 8.0), from 10 finished jobs like it");
  EXPECT_EQ(CostOfA(8, Duration::Minutes(30)).longest, Duration::Minutes(30));
  EXPECT_EQ(CostOfA(0).text, "no GPUs");
}

TEST_F(Forecasts, CostTellsWhatLimitsLeave) {
  SetQueue set;
  set.name = "default";
  set.limit.gpu_hours = 100;
  set.user_limit.gpu_hours = 10;
  ASSERT_TRUE(engine_.Execute(set).has_value());
  Finished(30);
  const Cost cost = CostOfA(1);
  ASSERT_EQ(cost.allowances.size(), 2u);
  constexpr int64_t kGpuHour = int64_t{3'600'000} * kWholeShare;
  EXPECT_EQ(cost.allowances[0].limit, 100 * kGpuHour);
  EXPECT_EQ(cost.allowances[1].user, "ana");
  EXPECT_EQ(cost.allowances[1].used, 4 * kGpuHour);
}

}  // namespace
}  // namespace gp
