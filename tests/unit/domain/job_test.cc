#include "domain/model/jobs/job.h"

#include <gtest/gtest.h>

#include <functional>

namespace gp {
namespace {

constexpr Instant kPlacedAt{1'000'000'000'000'000};

// A job that was placed, with one attempt.
Job Placed(JobState state = JobState::kRunning) {
  Job job;
  job.id = {1};
  job.spec = std::make_shared<const JobSpec>();
  job.state = state;
  job.attempt = 1;
  job.attempts.push_back({.number = 1, .placed_at = kPlacedAt});
  return job;
}

void Edit(Job& job, const std::function<void(JobSpec&)>& edit) {
  JobSpec spec = *job.spec;
  edit(spec);
  job.spec = std::make_shared<const JobSpec>(std::move(spec));
}

void SetLimit(Job& job, Duration limit) {
  Edit(job, [limit](JobSpec& spec) { spec.policy.time_limit = limit; });
}

TEST(TimeLimitOfAJob, CountsFromItsPlacement) {
  Job job = Placed();
  EXPECT_EQ(LatestEnd(job), kNever);
  SetLimit(job, Duration::Minutes(60));
  EXPECT_EQ(LimitReachedAt(job), kPlacedAt + Duration::Minutes(60));
  EXPECT_EQ(LatestEnd(job), kPlacedAt + Duration::Minutes(60) + Duration::Seconds(30) + kEndMargin);
  job.attempts.push_back({.number = 2, .placed_at = kPlacedAt + Duration::Minutes(7)});
  EXPECT_EQ(LimitReachedAt(job), kPlacedAt + Duration::Minutes(67)) << "of the last attempt";
}

// A quarter of the limit before it is reached, and never more than ten minutes before.
TEST(TimeLimitOfAJob, IsAnnouncedAQuarterAndAtMostTenMinutesBefore) {
  struct Notice {
    Duration limit;
    Duration before;
  };
  const Notice rows[] = {
      {Duration::Seconds(1), Duration::Milliseconds(250)},
      {Duration::Minutes(4), Duration::Minutes(1)},
      {Duration::Minutes(39), Duration::Seconds(585)},
      {Duration::Minutes(40), Duration::Minutes(10)},
      {Duration::Minutes(40) + Duration::Seconds(4), Duration::Minutes(10)},
      {kTimeLimitMax, Duration::Minutes(10)},
  };
  for (const Notice& row : rows) {
    Job job = Placed();
    SetLimit(job, row.limit);
    EXPECT_EQ(LimitReachedAt(job) - LimitNoticeAt(job), row.before) << ToText(row.limit);
  }
}

TEST(TimeLimitOfAJob, RunsWhileItHoldsLeasesAndIsNotStopped) {
  Job job = Placed();
  EXPECT_FALSE(RunsAgainstLimit(job)) << "it has none";
  SetLimit(job, Duration::Minutes(1));
  for (int i = 0; i <= static_cast<int>(JobState::kTimeout); ++i) {
    job.state = static_cast<JobState>(i);
    EXPECT_EQ(RunsAgainstLimit(job), HoldsLeases(job.state)) << Name(job.state);
  }
  job.state = JobState::kRunning;
  for (int i = 1; i <= static_cast<int>(StopCause::kMetricComplete); ++i) {
    job.stop = static_cast<StopCause>(i);
    EXPECT_FALSE(RunsAgainstLimit(job)) << Name(job.stop);
  }
}

TEST(TimeLimitOfAJob, IsAnEndOnlyWhileAnAttemptLasts) {
  Job job = Placed();
  EXPECT_FALSE(HasEnd(job));
  SetLimit(job, Duration::Minutes(1));
  EXPECT_TRUE(HasEnd(job));
  job.attempts.back().ended_at = kPlacedAt + Duration::Seconds(5);
  EXPECT_FALSE(HasEnd(job));
  job.attempts.clear();
  EXPECT_FALSE(HasEnd(job)) << "it was never placed";
}

TEST(HasStarted, IfAnyOfItsAttemptsExecutedAProgram) {
  Job job = Placed();
  EXPECT_FALSE(HasStarted(job));
  job.attempts.push_back({.number = 2, .placed_at = kPlacedAt});
  EXPECT_FALSE(HasStarted(job));
  job.attempts.front().started_at = kPlacedAt;
  EXPECT_TRUE(HasStarted(job)) << "also an earlier one";
  job.attempts.clear();
  EXPECT_FALSE(HasStarted(job));
}

TEST(HasFailed, ByItsOwnFailureOrAtItsTimeLimit) {
  for (int i = 0; i <= static_cast<int>(JobState::kTimeout); ++i) {
    const Job job = Placed(static_cast<JobState>(i));
    EXPECT_EQ(HasFailed(job), job.state == JobState::kFailed || job.state == JobState::kTimeout)
        << Name(job.state);
  }
}

TEST(IsRecovering, WhileAFaultEndsItsAttemptAndWhileItIsTriedFirst) {
  EXPECT_TRUE(IsRecovering(Placed(JobState::kRecovering)));
  EXPECT_FALSE(IsRecovering(Placed(JobState::kQueued)));
  for (int i = 0; i <= static_cast<int>(JobState::kTimeout); ++i) {
    Job job = Placed(static_cast<JobState>(i));
    job.recovers_until = kPlacedAt;
    const bool is_recovering = job.state == JobState::kQueued || job.state == JobState::kRecovering;
    EXPECT_EQ(IsRecovering(job), is_recovering) << Name(job.state);
  }
}

RankRecord RankOn(uint32_t node, LeaseEnd end) {
  RankRecord rank;
  rank.node = {node};
  rank.outcome.end = end;
  return rank;
}

TEST(NodesWithFaults, AreThoseWhereThePlatformFailedIt) {
  Job job = Placed();
  EXPECT_TRUE(NodesWithFaults(job).empty());
  using enum LeaseEnd;
  uint32_t node = 0;
  for (const LeaseEnd end : {kExited, kLeaseLost, kStopped, kSupervisorLost, kOutOfMemory,
                             kNodeLost, kCouldNotStart, kPlatformFault})
    job.attempts.back().ranks.push_back(RankOn(node++, end));
  EXPECT_EQ(NodesWithFaults(job), (std::set<NodeId>{{1}, {3}, {5}, {7}}));
}

TEST(NodesWithFaults, AreOfAllAttemptsAndEachOnce) {
  Job job = Placed();
  job.attempts.back().ranks = {RankOn(4, LeaseEnd::kNodeLost), RankOn(2, LeaseEnd::kStopped)};
  job.attempts.push_back({.number = 2});
  job.attempts.back().ranks = {RankOn(4, LeaseEnd::kNodeLost), RankOn(0, LeaseEnd::kNodeLost)};
  EXPECT_EQ(NodesWithFaults(job), (std::set<NodeId>{{0}, {4}}));
}

TEST(NodesWithFaults, AreThoseThatItsLogBlames) {
  Job job = Placed();
  Edit(job, [](JobSpec& spec) {
    spec.recovery.on_log = {{"out of disk", LogAction::kStopRetries},
                            {"NCCL timeout", LogAction::kExcludeNode}};
  });
  for (uint32_t node = 0; node < 3; ++node)
    job.attempts.back().ranks.push_back(RankOn(node, LeaseEnd::kExited));
  job.attempts.back().ranks[0].outcome.clues.rules = {0};
  job.attempts.back().ranks[2].outcome.clues.rules = {0, 1};
  EXPECT_EQ(NodesWithFaults(job), std::set<NodeId>{{2}});
}

TEST(LogRules, MatchByTheirNumberAndAction) {
  JobSpec spec;
  spec.recovery.on_log = {{"a", LogAction::kStopRetries}, {"b", LogAction::kExcludeNode}};
  const auto matches = [&](std::vector<int> rules, LogAction action) {
    LogClues clues;
    clues.rules = std::move(rules);
    return Matches(clues, spec, action);
  };
  EXPECT_FALSE(matches({}, LogAction::kStopRetries));
  EXPECT_TRUE(matches({0}, LogAction::kStopRetries));
  EXPECT_FALSE(matches({0}, LogAction::kExcludeNode));
  EXPECT_TRUE(matches({1}, LogAction::kExcludeNode));
  EXPECT_FALSE(matches({1}, LogAction::kStopRetries));
  EXPECT_TRUE(matches({1, 0}, LogAction::kStopRetries));
  for (const int unknown : {-1, 2, 1 << 30}) {
    EXPECT_FALSE(matches({unknown}, LogAction::kStopRetries)) << unknown;
    EXPECT_FALSE(matches({unknown}, LogAction::kExcludeNode)) << unknown;
  }
}

// Consecutive faults count only while nothing was gained: ten minutes, or one whole checkpoint.
TEST(HasMadeProgress, AfterTenMinutesOfItsProgram) {
  Job job = Placed();
  const Instant started = kPlacedAt + Duration::Minutes(3);
  EXPECT_FALSE(HasMadeProgress(job, kPlacedAt + Duration::Minutes(60))) << "it never ran";
  job.attempts.back().started_at = started;
  EXPECT_FALSE(HasMadeProgress(job, started + Duration::Minutes(10) - Duration{1}));
  EXPECT_TRUE(HasMadeProgress(job, started + Duration::Minutes(10)));
}

TEST(HasMadeProgress, WithAWholeCheckpointOfThisAttempt) {
  Job job = Placed();
  job.attempt = 2;
  job.attempts.push_back({.number = 2, .placed_at = kPlacedAt});
  job.checkpoints.resize(1);
  job.checkpoints[0].attempt = 1;
  job.checkpoints[0].is_complete = true;
  EXPECT_FALSE(HasMadeProgress(job, kPlacedAt)) << "of an earlier attempt";
  job.checkpoints[0].attempt = 2;
  EXPECT_TRUE(HasMadeProgress(job, kPlacedAt));
  job.checkpoints[0].is_complete = false;
  EXPECT_FALSE(HasMadeProgress(job, kPlacedAt)) << "one rank of several has written";
}

TEST(KeepsWork, IfItMayBeInterruptedForOthers) {
  JobSpec spec;
  EXPECT_FALSE(KeepsWork(spec));
  spec.policy.movable = true;
  EXPECT_TRUE(KeepsWork(spec));
  spec.policy = {};
  spec.policy.preemptible = true;
  EXPECT_TRUE(KeepsWork(spec));
}

// Users and scripts read these words: no two states share one.
template <typename State>
void ExpectDistinctNames(State last) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const std::string name = Name(static_cast<State>(i));
    EXPECT_NE(name, "?") << i;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(NamesOfStates, AreDistinct) {
  ExpectDistinctNames(JobState::kTimeout);
  ExpectDistinctNames(ShownJobState::kCancelled);
  ExpectDistinctNames(StopCause::kMetricComplete);
  ExpectDistinctNames(LeaseEnd::kPlatformFault);
  ExpectDistinctNames(GpuCondition::kUnlinked);
  ExpectDistinctNames(GpuMode::kMig);
  ExpectDistinctNames(ShownGpuState::kOffline);
}

}  // namespace
}  // namespace gp
