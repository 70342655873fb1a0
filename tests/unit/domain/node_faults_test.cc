// The counting of failures: what is near, what is repeated, what excuses a job, and when a pool or
// a node has had too many.

#include "domain/cluster/nodes/faults.h"

#include <gtest/gtest.h>

#include <functional>

namespace gp {
namespace {

constexpr Instant kFaultAt{1'000'000'000'000'000'000};

Instant Before(Duration span) { return kFaultAt - span; }

GpuTrouble WithXids(std::vector<XidMark> marks) {
  GpuTrouble trouble;
  trouble.xids = std::move(marks);
  return trouble;
}

TEST(XidsNearAnother, AreThoseWithinTheSpan) {
  const Duration span = Duration::Seconds(5);
  const GpuTrouble trouble = WithXids(
      {{13, Before(span + Duration{1})}, {31, Before(span)}, {48, kFaultAt}, {48, kFaultAt}});
  EXPECT_EQ(XidsNear(trouble, kFaultAt, span), (std::set<int>{31, 48}));
  EXPECT_TRUE(XidsNear({}, kFaultAt, span).empty());
}

// One error makes several reports within seconds: those are no repetition.
TEST(AnXid, IsRepeatedWithinADayButNotAtOnce) {
  const Duration span = Duration::Seconds(5);
  const auto repeated = [&](Duration ago, int xid = 48) {
    return IsRepeated(WithXids({{48, Before(ago)}}), xid, kFaultAt, span);
  };
  EXPECT_FALSE(repeated({}));
  EXPECT_FALSE(repeated(span));
  EXPECT_TRUE(repeated(span + Duration{1}));
  EXPECT_TRUE(repeated(kMarksKept));
  EXPECT_FALSE(repeated(kMarksKept + Duration{1}));
  EXPECT_FALSE(repeated(Duration::Minutes(1), 49)) << "another number";
}

Job WithNote(XidNote note) {
  Job job;
  job.attempt = 2;
  job.xids = {note};
  return job;
}

TEST(AnAttempt, IsForgivenForAMinuteAfterAnErrorThatExcusesIt) {
  const auto forgiven = [](Duration ago, bool excuses = true, int attempt = 2) {
    return IsForgiven(WithNote({attempt, 48, {0}, 0, excuses, Before(ago)}), kFaultAt);
  };
  EXPECT_TRUE(forgiven({}));
  EXPECT_TRUE(forgiven(Duration::Seconds(60)));
  EXPECT_FALSE(forgiven(Duration::Seconds(60) + Duration{1}));
  EXPECT_FALSE(forgiven({}, false)) << "an error of its own program";
  EXPECT_FALSE(forgiven({}, true, 1)) << "of an earlier attempt";
  EXPECT_FALSE(IsForgiven(Job{}, kFaultAt));
}

// The log shows that its MPS server failed: another client did it, unless the driver named this
// one.
TEST(AnAttempt, FailedWithItsMpsServerIsExcusedUnlessAnErrorIsKnown) {
  LeaseOutcome outcome;
  outcome.clues.mps_failed = true;
  Job job;
  job.attempt = 2;
  EXPECT_TRUE(IsOfAnotherClient(job, outcome));
  job.xids = {{1, 31, {0}, 0, false, kFaultAt}};
  EXPECT_TRUE(IsOfAnotherClient(job, outcome)) << "of an earlier attempt";
  job.xids[0].attempt = 2;
  EXPECT_FALSE(IsOfAnotherClient(job, outcome));
  job.xids.clear();
  outcome.clues.mps_failed = false;
  EXPECT_FALSE(IsOfAnotherClient(job, outcome));
}

TEST(AnIncident, ClosesByItselfOnlyWhereNothingIsLeftToDo) {
  FaultPolicy policy;
  policy.incident_window = Duration::Minutes(3);
  Incident incident;
  incident.last_at = kFaultAt;
  EXPECT_EQ(EndOf(policy, incident), kFaultAt + Duration::Minutes(3));
  incident.state = IncidentState::kAcknowledged;
  EXPECT_EQ(EndOf(policy, incident), kFaultAt + Duration::Minutes(3));
  const std::function<void(Incident&)> edits[] = {
      [](Incident& one) { one.state = IncidentState::kClosed; },
      [](Incident& one) { one.needs_person = true; },
      [](Incident& one) { one.is_lasting = true; },
      [](Incident& one) { one.remedy = GpuRemedy::kTest; },
      [](Incident& one) { one.remedy = GpuRemedy::kReset; },
  };
  int number = 0;
  for (const auto& edit : edits) {
    Incident changed = incident;
    edit(changed);
    EXPECT_EQ(EndOf(policy, changed), kNever) << number++;
  }
}

TEST(DigestOfAProgram, IsOfItsCommandAndDirectory) {
  JobSpec spec;
  spec.program.command = {"python", "train.py"};
  spec.program.working_directory = "/home/ana";
  const uint64_t digest = DigestOf(spec);
  JobSpec same = spec;
  same.name = "other";
  same.resources.gpus.count = 8;
  same.program.environment["A"] = "1";
  EXPECT_EQ(DigestOf(same), digest);
  JobSpec other = spec;
  other.program.command = {"python", "eval.py"};
  EXPECT_NE(DigestOf(other), digest);
  other = spec;
  other.program.working_directory = "/home/ben";
  EXPECT_NE(DigestOf(other), digest);
  other = spec;
  other.program.command = {"train.py", "python"};
  EXPECT_NE(DigestOf(other), digest) << "in another order";
}

// Failures within an hour are one accident.
TEST(AFailureOfANode, IsAnotherOneAfterAnHour) {
  Node node;
  EXPECT_TRUE(IsAnotherFailure(node, kFaultAt));
  node.failures = {Before(Duration::Minutes(600)), Before(Duration::Minutes(60))};
  EXPECT_FALSE(IsAnotherFailure(node, kFaultAt));
  node.failures.back() = Before(Duration::Minutes(60) + Duration{1});
  EXPECT_TRUE(IsAnotherFailure(node, kFaultAt));
}

class LemonNodes : public testing::Test {
 protected:
  LemonNodes() {
    state_.policy.faults.lemon_failures = 4;
    state_.policy.faults.lemon_factor = 4;
    state_.policy.faults.lemon_window = Duration::Minutes(7 * 24 * 60);
  }
  // A node with failures that many hours ago.
  void Add(const std::vector<int>& hours_ago) {
    Node node;
    node.id = {static_cast<uint32_t>(state_.nodes.all.size())};
    for (const int hours : hours_ago)
      node.failures.push_back(Before(Duration::Minutes(60 * hours)));
    state_.nodes.all.push_back(node);
  }
  // Whether one more failure now makes a lemon of the first node.
  bool FirstIsLemon() const { return IsLemon(state_, state_.nodes.all[0], kFaultAt); }

  State state_;
};

TEST_F(LemonNodes, AreThoseWithTheFourthFailureOfAWeek) {
  Add({6, 4, 2});
  Add({});
  EXPECT_TRUE(FirstIsLemon());
  state_.nodes.all[0].failures.erase(state_.nodes.all[0].failures.begin());
  EXPECT_FALSE(FirstIsLemon());
}

TEST_F(LemonNodes, OldFailuresDoNotCount) {
  Add({7 * 24, 4, 2});
  Add({});
  EXPECT_TRUE(FirstIsLemon()) << "at the edge of the week";
  state_.nodes.all[0].failures[0] = Before(Duration::Minutes(7 * 24 * 60) + Duration{1});
  EXPECT_FALSE(FirstIsLemon());
}

TEST_F(LemonNodes, AreNoneOnTheirOwn) {
  Add({6, 4, 2});
  EXPECT_FALSE(FirstIsLemon()) << "nothing to compare with";
}

// With four failures: four times the mean of the others is the limit.
TEST_F(LemonNodes, FailFourTimesAsOftenAsTheOthers) {
  Add({6, 4, 2});
  Add({5});
  EXPECT_TRUE(FirstIsLemon());
  Add({5, 3});
  EXPECT_FALSE(FirstIsLemon()) << "3 failures of 2 others";
  Add({});
  EXPECT_TRUE(FirstIsLemon()) << "3 failures of 3 others";
}

TEST_F(LemonNodes, CountOneAccidentOnce) {
  Add({6, 4, 1});
  Add({});
  EXPECT_FALSE(FirstIsLemon()) << "the last failure is not over";
}

class BreakerOfAPool : public testing::Test {
 protected:
  BreakerOfAPool() {
    FaultPolicy& policy = state_.policy.faults;
    policy.breaker_percent = 20;
    policy.breaker_gpus_min = 8;
    policy.breaker_nodes_min = 3;
    policy.breaker_window = Duration::Minutes(10);
    state_.nodes.capacity[kDefaultPool] = 39;
  }
  // GPUs of as many nodes were taken out that long ago.
  void TakeOut(int gpus, int nodes, Duration ago = {}) {
    state_.faults.out_of_service[kDefaultPool].insert(
        state_.faults.out_of_service[kDefaultPool].end(), static_cast<size_t>(gpus), Before(ago));
    for (int i = 0; i < nodes; ++i) {
      Node node;
      node.id = {static_cast<uint32_t>(state_.nodes.all.size())};
      state_.nodes.all.push_back(node);
      state_.faults.troubles[{node.id, 0}].out_of_service_at = Before(ago);
    }
  }
  bool IsDue() const { return IsBreakerDue(state_, kDefaultPool, kFaultAt); }

  State state_;
};

TEST_F(BreakerOfAPool, OpensAboveAFifthOfTheGpus) {
  TakeOut(8, 3);
  EXPECT_TRUE(IsDue()) << "8 of 39";
  state_.nodes.capacity[kDefaultPool] = 40;
  EXPECT_FALSE(IsDue()) << "a fifth is not above a fifth";
}

TEST_F(BreakerOfAPool, TakesAtLeastEightGpus) {
  TakeOut(7, 3);
  state_.nodes.capacity[kDefaultPool] = 8;
  EXPECT_FALSE(IsDue());
}

TEST_F(BreakerOfAPool, TakesAtLeastThreeNodes) {
  TakeOut(16, 2);
  EXPECT_FALSE(IsDue());
  TakeOut(1, 1);
  EXPECT_TRUE(IsDue());
}

TEST_F(BreakerOfAPool, CountsWhatFailedWithinTenMinutes) {
  TakeOut(8, 3, Duration::Minutes(10));
  EXPECT_TRUE(IsDue());
  EXPECT_EQ(CountOutOfService(state_, kDefaultPool, kFaultAt), 8);
  EXPECT_EQ(CountOutOfService(state_, kDefaultPool, kFaultAt + Duration{1}), 0);
  EXPECT_EQ(CountNodesOutOfService(state_, kDefaultPool, kFaultAt), 3);
  EXPECT_EQ(CountNodesOutOfService(state_, kDefaultPool, kFaultAt + Duration{1}), 0);
}

TEST_F(BreakerOfAPool, IsOffAtAHundredPerCent) {
  TakeOut(39, 5);
  EXPECT_TRUE(IsDue());
  state_.policy.faults.breaker_percent = 100;
  EXPECT_FALSE(IsDue());
}

TEST_F(BreakerOfAPool, IsOfItsPoolAlone) {
  TakeOut(8, 3);
  EXPECT_FALSE(IsBreakerDue(state_, "big", kFaultAt));
  EXPECT_EQ(CountOutOfService(state_, "big", kFaultAt), 0);
  EXPECT_EQ(CountNodesOutOfService(state_, "big", kFaultAt), 0);
  state_.nodes.all[0].pool = "big";
  EXPECT_EQ(CountNodesOutOfService(state_, "big", kFaultAt), 1);
  EXPECT_FALSE(IsDue()) << "two nodes are left";
}

}  // namespace
}  // namespace gp
