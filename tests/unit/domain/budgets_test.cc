// Budgets of a month, and what becomes of jobs when they are used up.

#include "domain/cluster/quotas/budgets.h"

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/text.h"
#include "domain/scheduling/reasons/why_pending.h"
#include "tests/support/event_text.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

// The clock stands at 14 November 2023, 22:13.
class Budgets : public testing::Test {
 protected:
  Budgets() {
    StartController start;
    start.policy = TestPolicy();
    PriceRule rule;
    rule.per_gpu_hour.micros = 2'000'000;
    start.policy.prices.rules = {rule};
    EXPECT_TRUE(cluster_.Execute(start));
    cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 0, 0}));
    EXPECT_TRUE(cluster_.Execute(SetQueue{.name = "research"}));
    EXPECT_TRUE(cluster_.Execute(SetQueue{.name = "ops"}));
  }
  ~Budgets() override {
    for (const std::string& broken : cluster_.broken()) ADD_FAILURE() << broken;
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  void Set(const BudgetKey& key, int64_t gpu_hours, OverBudget over, int64_t money_micros = 0) {
    SetBudget set;
    set.key = key;
    set.gpu_hours = gpu_hours;
    set.money_micros = money_micros;
    set.over = over;
    const auto done = cluster_.Execute(set);
    ASSERT_TRUE(done) << done.error().message;
  }
  Result<std::vector<Event>> Submit(const std::string& queue, const std::string& user,
                                    int gpus = 1) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.policy.queue = queue;
    spec.policy.priority = 500;
    spec.resources.gpus.count = gpus;
    auto events = cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}});
    if (events) cluster_.Pass();
    return events;
  }
  const Job& Last() const { return *cluster_.state().FindJob({cluster_.state().jobs.last}); }
  // What becomes of a look at it.
  std::string Levels(const BudgetKey& key) {
    const auto events = cluster_.Execute(ReviewBudget{key});
    if (!events) return events.error().message;
    std::vector<std::string> texts;
    for (const Event& event : *events) {
      texts.push_back(std::holds_alternative<BudgetLevelChanged>(event)
                          ? EventText(cluster_.state(), event, {})
                      : std::holds_alternative<JobStopOrdered>(event) ? "job-stop-ordered"
                                                                      : "?");
    }
    return Join(texts, ", ");
  }
  // All its ranks exit when they are stopped.
  void End(JobId id) {
    const Job& job = *cluster_.state().FindJob(id);
    ASSERT_EQ(job.leases.size(), 1u);
    const Lease& lease = *cluster_.state().FindLease(job.leases.front());
    ReportNode report{lease.node, cluster_.state().FindNode(lease.node)->incarnation, {}, {}};
    report.leases.push_back({.lease = lease.id,
                             .running = false,
                             .ended = true,
                             .started_at = cluster_.now(),
                             .ended_at = cluster_.now(),
                             .outcome = {LeaseEnd::kStopped, 0, 15, ""}});
    const auto done = cluster_.Execute(report);
    ASSERT_TRUE(done) << done.error().message;
  }
  BudgetStanding Standing(const BudgetKey& key, const std::string& user = "") {
    return StandingsOf(cluster_.state(), key, cluster_.now())[user].standing;
  }

  TestCluster cluster_;
};

TEST_F(Budgets, WhatRunsCountsAtOnce) {
  const BudgetKey key{"research", "", ""};
  Set(key, 10, OverBudget::kWarn);
  ASSERT_TRUE(Submit("research", "ana"));
  cluster_.Advance(kHour * 5);
  EXPECT_EQ(Standing(key).per_cent, 50);
  EXPECT_EQ(Standing(key).warned, 50);
  ASSERT_TRUE(Submit("ops", "ana"));
  cluster_.Advance(kHour * 5);
  EXPECT_EQ(Standing(key).per_cent, 100) << "another queue's is not of it";
  EXPECT_TRUE(Standing(key).is_used_up);
}

TEST_F(Budgets, RefuseWhenTheyAreUsedUp) {
  Set({"research", "", ""}, 2, OverBudget::kRefuse);
  ASSERT_TRUE(Submit("research", "ana"));
  cluster_.Advance(kHour * 2);
  const auto refused = Submit("research", "ben");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(
                "budget: the budget of queue research for this month is used up"),
            std::string::npos)
      << refused.error().message;
  EXPECT_TRUE(Submit("research", "ben", 0)) << "it asks for no GPU";
  EXPECT_TRUE(Submit("ops", "ben"));
}

TEST_F(Budgets, DemoteWhenTheyAreUsedUp) {
  Set({"", "ana", ""}, 0, OverBudget::kDemote, 4'000'000);
  ASSERT_TRUE(Submit("research", "ana"));
  cluster_.Advance(kHour * 2);
  ASSERT_TRUE(Submit("ops", "ana", 4));
  EXPECT_EQ(Last().spec->policy.priority, kPriorityMin);
  EXPECT_TRUE(Last().spec->policy.preemptible);
  EXPECT_NE(Last().note.find("the budget of all queues, user ana for this month is used up"),
            std::string::npos)
      << Last().note;
  ASSERT_TRUE(Submit("ops", "ben"));
  EXPECT_EQ(Last().spec->policy.priority, 500);
}

TEST_F(Budgets, AreNotPassedByAnotherWayToBeGivenGpus) {
  Set({"research", "", ""}, 2, OverBudget::kRefuse);
  ASSERT_TRUE(Submit("research", "ana"));
  cluster_.Advance(kHour * 2);
  JobSpec spec;
  spec.program.command = {"true"};
  spec.policy.queue = "research";
  spec.resources.nodes = 4'000;
  spec.resources.gpus.count = 0;
  spec.resources.any_of.push_back({.gpus = {.count = 1}});
  EXPECT_FALSE(
      cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ben", 1001, 1001}}));
}

TEST_F(Budgets, OfEachUserCountEachByItself) {
  const BudgetKey key{"research", kEachUser, ""};
  Set(key, 3, OverBudget::kRefuse);
  ASSERT_TRUE(Submit("research", "ana", 2));
  cluster_.Advance(kHour * 2);
  EXPECT_FALSE(Submit("research", "ana"));
  EXPECT_TRUE(Submit("research", "ben"));
  EXPECT_EQ(Standing(key, "ana").per_cent, 133);
  EXPECT_EQ(Standing(key, "ben").per_cent, 0);
}

TEST_F(Budgets, BeginAtZeroEachMonth) {
  const BudgetKey key{"research", "", ""};
  Set(key, 4, OverBudget::kRefuse);
  ASSERT_TRUE(Submit("research", "ana"));
  cluster_.Advance(kHour);
  ASSERT_TRUE(Submit("research", "ana")) << "the first hour is in the book now";
  cluster_.Advance(kDay * 16);
  EXPECT_FALSE(Submit("research", "ben"));
  const Instant december{FirstOfMonth(DayOf(cluster_.now() + kDay)) * kDay.ns};
  ASSERT_LT(cluster_.now(), december);
  cluster_.Advance(december - cluster_.now() + kHour);
  EXPECT_EQ(Standing(key).per_cent, 50)
      << "of two GPUs in the month that has begun an hour, and of the one before nothing";
  EXPECT_TRUE(Submit("research", "ben"));
}

TEST_F(Budgets, SayWhenTheyWillBeUsedUp) {
  const BudgetKey key{"research", "", ""};
  Set(key, 900, OverBudget::kWarn);
  ASSERT_TRUE(Submit("research", "ana", 4));
  cluster_.Advance(kDay * 4);
  const BudgetStanding standing = Standing(key);
  EXPECT_EQ(standing.per_cent, 42);
  EXPECT_GT(standing.expected_per_cent, 100);
  ASSERT_TRUE(standing.used_up_at);
  EXPECT_GT(*standing.used_up_at, cluster_.now());
}

// Minutes of use say nothing of a month.
TEST_F(Budgets, ExpectNothingOnTheFirstDayOfUse) {
  const BudgetKey key{"research", "", ""};
  Set(key, 1, OverBudget::kWarn);
  EXPECT_FALSE(Standing(key).is_too_early) << "nothing is used, and nothing will be";
  ASSERT_TRUE(Submit("research", "ana", 3));
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_TRUE(Standing(key).is_too_early);
  EXPECT_EQ(Standing(key).per_cent, 50);
  EXPECT_EQ(Standing(key).expected_per_cent, 50);
  EXPECT_FALSE(Standing(key).used_up_at);
  ASSERT_TRUE(Submit("research", "ana")) << "what was used until now is in the book of this day";
  EXPECT_TRUE(Standing(key).is_too_early);
  cluster_.Advance(kDay * 2);
  EXPECT_FALSE(Standing(key).is_too_early);
  EXPECT_GT(Standing(key).expected_per_cent, Standing(key).per_cent);
}

TEST_F(Budgets, ExpectNothingOnTheFirstDayOfAMonth) {
  const BudgetKey key{"research", "", ""};
  Set(key, 900, OverBudget::kWarn);
  ASSERT_TRUE(Submit("research", "ana", 4));
  cluster_.Advance(kDay * 4);
  EXPECT_FALSE(Standing(key).is_too_early);
  const Instant december{FirstOfMonth(DayOf(cluster_.now()) + 31) * kDay.ns};
  cluster_.Advance(december - cluster_.now() + kHour * 23);
  EXPECT_TRUE(Standing(key).is_too_early);
  EXPECT_EQ(Standing(key).expected_per_cent, Standing(key).per_cent);
  cluster_.Advance(kHour);
  EXPECT_FALSE(Standing(key).is_too_early);
  EXPECT_GT(Standing(key).expected_per_cent, Standing(key).per_cent);
}

TEST_F(Budgets, HoldWhatRunsAndWaitsUntilThereIsRoom) {
  const BudgetKey key{"research", "", ""};
  Set(key, 8, OverBudget::kHold);
  ASSERT_TRUE(Submit("research", "ana", 2));
  const JobId ana = Last().id;
  ASSERT_TRUE(Submit("ops", "ben", 1));
  const JobId ben = Last().id;
  cluster_.Advance(kHour * 2);
  EXPECT_EQ(Levels(key), "budget-level queue research 50");
  EXPECT_EQ(Levels(key), "") << "it is reported once";
  cluster_.Advance(kHour * 2);
  EXPECT_EQ(Levels(key), "budget-level queue research 100 used up, job-stop-ordered");
  EXPECT_EQ(Levels(key), "") << "the job was notified";
  EXPECT_EQ(cluster_.state().FindJob(ana)->stop, StopCause::kBudget);
  EXPECT_EQ(cluster_.state().FindJob(ben)->stop, StopCause::kNone);
  End(ana);
  EXPECT_EQ(cluster_.state().FindJob(ana)->attempts.back().end, EndClass::kBudget);
  ASSERT_TRUE(Submit("research", "eva")) << "it is let in, and waits";
  for (const JobId id : {ana, Last().id}) {
    const Job& job = *cluster_.state().FindJob(id);
    EXPECT_EQ(job.state, JobState::kQueued);
    EXPECT_EQ(WhyPending(cluster_.state(), cluster_.now(), job).code, "BudgetUsedUp");
    EXPECT_EQ(WhyPending(cluster_.state(), cluster_.now(), job).text,
              "the budget of queue research for this month is used up (gpu-platform budget list)");
  }
  ASSERT_TRUE(Submit("research", "eva", 0));
  EXPECT_EQ(Last().state, JobState::kStarting) << "it asks for no GPU";
  Set(key, 100, OverBudget::kHold);
  EXPECT_EQ(Levels(key), "budget-level queue research 0");
  cluster_.Pass();
  EXPECT_EQ(cluster_.state().FindJob(ana)->state, JobState::kStarting);
  EXPECT_EQ(cluster_.state().FindJob(ana)->attempt, 2);
}

TEST_F(Budgets, HoldEachUserForItselfAndUntilTheMonthEnds) {
  const BudgetKey key{"research", kEachUser, ""};
  Set(key, 3, OverBudget::kHold);
  ASSERT_TRUE(Submit("research", "ana", 2));
  const JobId ana = Last().id;
  ASSERT_TRUE(Submit("research", "ben", 1));
  const JobId ben = Last().id;
  cluster_.Advance(kHour * 2);
  EXPECT_EQ(Levels(key),
            "budget-level queue research, each user of ana 100 used up, job-stop-ordered, "
            "budget-level queue research, each user of ben 50");
  End(ana);
  EXPECT_EQ(cluster_.state().FindJob(ana)->state, JobState::kQueued);
  EXPECT_EQ(cluster_.state().FindJob(ben)->stop, StopCause::kNone);
  const Instant december{FirstOfMonth(DayOf(cluster_.now()) + 31) * kDay.ns};
  ASSERT_TRUE(cluster_.Execute(StopJob{ben}));
  End(ben);
  cluster_.Advance(december - cluster_.now());
  EXPECT_EQ(Levels(key),
            "budget-level queue research, each user of ana 0, budget-level queue research, each "
            "user of ben 0");
  EXPECT_TRUE(cluster_.state().queues.budget_levels.empty());
  cluster_.Pass();
  EXPECT_EQ(cluster_.state().FindJob(ana)->state, JobState::kStarting);
}

// Whoever sits before it cannot wait with it.
TEST_F(Budgets, HoldEndsASession) {
  const BudgetKey key{"research", "", ""};
  Set(key, 1, OverBudget::kHold);
  JobSpec spec;
  spec.program.command = {"sh"};
  spec.policy.queue = "research";
  spec.resources.gpus.count = 1;
  spec.program.interactive = true;
  ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
  cluster_.Pass();
  const JobId session = Last().id;
  cluster_.Advance(kHour);
  EXPECT_EQ(Levels(key), "budget-level queue research 100 used up, job-stop-ordered");
  End(session);
  EXPECT_EQ(cluster_.state().FindJob(session)->state, JobState::kCancelled);
}

TEST_F(Budgets, EndWithTheirQueue) {
  Set({"ops", "", ""}, 5, OverBudget::kWarn);
  Set({"ops", "ana", ""}, 5, OverBudget::kWarn);
  Set({"research", "", ""}, 5, OverBudget::kWarn);
  ASSERT_TRUE(cluster_.Execute(DeleteQueue{"ops"}));
  ASSERT_EQ(cluster_.state().queues.budgets.size(), 1u);
  EXPECT_EQ(cluster_.state().queues.budgets.begin()->first.queue, "research");
}

TEST_F(Budgets, RefuseWhatTheyCannotBe) {
  const auto message = [&](const SetBudget& set) {
    const auto done = cluster_.Execute(set);
    return done ? "taken" : done.error().message;
  };
  EXPECT_NE(message({{"nowhere", "", ""}, 5, {}, {}, {}}).find("there is no queue nowhere"),
            std::string::npos);
  EXPECT_NE(message({{"", "", ""}, {}, {}, {}, {}}).find("GPU-hours, or money"), std::string::npos);
  EXPECT_NE(message({{"", "", ""}, -1, {}, {}, {}}).find("gpu_hours: from 0"), std::string::npos);
  EXPECT_NE(message({{"", "", ""}, {}, -1, {}, {}}).find("money: from 0"), std::string::npos);
  EXPECT_NE(message({{"", "", ""}, 5, {}, std::vector<int>{80, 50}, {}}).find("warn_at"),
            std::string::npos);
  EXPECT_NE(message({{"", "", ""}, 5, {}, std::vector<int>{0}, {}}).find("warn_at"),
            std::string::npos);
  EXPECT_NE(message({{"", "", "b d"}, 5, {}, {}, {}}).find("pool: "), std::string::npos);
  EXPECT_FALSE(cluster_.Execute(DeleteBudget{{"", "", ""}}));
}

}  // namespace
}  // namespace gp
