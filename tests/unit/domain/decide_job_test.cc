// What users may do with a job in each of its states, and with which words the rest is refused.

#include "domain/cluster/decide/decide.h"

#include <gmock/gmock.h>
#include "tests/support/event_text.h"

#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class DecideJob : public ClusterFixture {
 protected:
  DecideJob() { node_ = AddNode("n1"); }

  // A job in one of the states that last.
  JobId InState(JobState state) {
    switch (state) {
      case JobState::kHeld: {
        const JobId id = Submit(SpecOf(1));
        Do(HoldJob{id});
        return id;
      }
      case JobState::kQueued: return Submit(SpecOf(1));
      case JobState::kStarting: {
        const JobId id = Submit(SpecOf(1));
        cluster_.Pass();
        return id;
      }
      case JobState::kRunning: return Run(SpecOf(1));
      case JobState::kRetryWait: {
        const JobId id = Run(SpecOf(1, [](JobSpec& s) { s.recovery.retry.on_failure = true; }));
        EndAll(id, {LeaseEnd::kExited, 1, 0, ""});
        return id;
      }
      case JobState::kBlocked: {
        const JobId before = Submit(SpecOf(8, [](JobSpec& s) { s.resources.nodes = 9; }));
        return Submit(SpecOf(1, [&](JobSpec& s) { s.policy.after = {{before}}; }));
      }
      case JobState::kCompleted: {
        const JobId id = Run(SpecOf(1));
        EndAll(id);
        return id;
      }
      case JobState::kFailed: {
        const JobId id = Run(SpecOf(1));
        EndAll(id, {LeaseEnd::kExited, 3, 0, ""});
        return id;
      }
      default: {
        const JobId id = Submit(SpecOf(1));
        Do(StopJob{id});
        return id;
      }
    }
  }
  struct Outcome {
    JobState before;
    const char* refusal;  // with "JOB" for its name; empty: accepted
    const char* after;    // its state
  };
  void ExpectOutcomes(const std::vector<Outcome>& outcomes,
                      const std::function<Command(JobId)>& command) {
    for (const Outcome& row : outcomes) {
      const JobId id = InState(row.before);
      ASSERT_EQ(JobOf(id).state, row.before);
      std::string refusal = Refusal(command(id));
      if (const size_t at = refusal.find(ToText(id)); at != std::string::npos)
        refusal.replace(at, ToText(id).size(), "JOB");
      EXPECT_EQ(refusal, row.refusal) << Name(row.before);
      EXPECT_EQ(StateOf(id), row.after) << Name(row.before);
    }
  }
  std::string Texts(const std::vector<Event>& events) const {
    std::string text;
    for (const Event& event : events)
      text += (text.empty() ? "" : ", ") + EventText(cluster_.state(), event, {});
    return text;
  }

  NodeId node_;
};

TEST_F(DecideJob, OnlyWaitingJobsAreHeld) {
  ExpectOutcomes(
      {{JobState::kQueued, "", "HELD"},
       {JobState::kRetryWait, "", "HELD"},
       {JobState::kHeld, "conflict: JOB is HELD: only a waiting job can be held", "HELD"},
       {JobState::kBlocked, "conflict: JOB is BLOCKED: only a waiting job can be held", "BLOCKED"},
       {JobState::kStarting, "conflict: JOB is STARTING: only a waiting job can be held",
        "STARTING"},
       {JobState::kRunning, "conflict: JOB is RUNNING: only a waiting job can be held", "RUNNING"},
       {JobState::kCompleted, "conflict: JOB is COMPLETED: only a waiting job can be held",
        "COMPLETED"}},
      [](JobId id) { return HoldJob{id}; });
}

TEST_F(DecideJob, OnlyHeldJobsAreReleased) {
  ExpectOutcomes({{JobState::kHeld, "", "QUEUED"},
                  {JobState::kQueued, "conflict: JOB is QUEUED, not HELD", "QUEUED"},
                  {JobState::kRetryWait, "conflict: JOB is RETRY_WAIT, not HELD", "RETRY_WAIT"},
                  {JobState::kRunning, "conflict: JOB is RUNNING, not HELD", "RUNNING"},
                  {JobState::kFailed, "conflict: JOB is FAILED, not HELD", "FAILED"}},
                 [](JobId id) { return ReleaseJob{id}; });
}

TEST_F(DecideJob, AJobWithoutLeasesIsCancelledAtOnce) {
  ExpectOutcomes({{JobState::kHeld, "", "CANCELLED"},
                  {JobState::kQueued, "", "CANCELLED"},
                  {JobState::kRetryWait, "", "CANCELLED"},
                  {JobState::kBlocked, "", "CANCELLED"},
                  {JobState::kStarting, "", "STARTING"},
                  {JobState::kRunning, "", "RUNNING"},
                  {JobState::kCompleted, "conflict: JOB is already COMPLETED", "COMPLETED"},
                  {JobState::kFailed, "conflict: JOB is already FAILED", "FAILED"},
                  {JobState::kCancelled, "conflict: JOB is already CANCELLED", "CANCELLED"}},
                 [](JobId id) { return StopJob{id}; });
}

TEST_F(DecideJob, CancelledWhileItWaitsItSaysWhere) {
  const JobId id = InState(JobState::kHeld);
  Do(StopJob{id});
  EXPECT_EQ(JobOf(id).reason, "cancelled while HELD");
  EXPECT_EQ(JobOf(id).exit_code, 130);
}

// Graceful first, then by force; what is gone is gone.
TEST_F(DecideJob, AStopIsRaisedToAKillAndNeverLowered) {
  const JobId id = Run(SpecOf(1));
  const auto order = [&] { return cluster_.state().FindLease(JobOf(id).leases[0])->stop; };
  Do(StopJob{id});
  EXPECT_EQ(order(), StopOrder::kGraceful);
  Do(StopJob{id, true});
  EXPECT_EQ(order(), StopOrder::kKill);
  Do(StopJob{id});
  EXPECT_EQ(order(), StopOrder::kKill);
}

TEST_F(DecideJob, PrioritiesHaveARangeAndOnlyAdminsRaiseThem) {
  const JobId id = Submit(SpecOf(1));
  const auto set = [&](int priority, bool may_raise = true) {
    return Refusal(SetPriority{id, priority, may_raise});
  };
  EXPECT_EQ(set(-1), "invalid-argument: priority: -1 is not between 0 and 1000");
  EXPECT_EQ(set(1001), "invalid-argument: priority: 1001 is not between 0 and 1000");
  EXPECT_EQ(set(501, false), "permission-denied: priority: only an admin of its queue raises it");
  EXPECT_EQ(set(500, false), "") << "as it is";
  EXPECT_EQ(set(499, false), "");
  EXPECT_EQ(set(500, false), "permission-denied: priority: only an admin of its queue raises it")
      << "back is up";
  EXPECT_EQ(set(1000), "");
  EXPECT_EQ(set(0), "");
  EXPECT_EQ(JobOf(id).spec->policy.priority, 0);
}

TEST_F(DecideJob, PrioritiesChangeInEachStateThatIsNotTheEnd) {
  ExpectOutcomes({{JobState::kHeld, "", "HELD"},
                  {JobState::kBlocked, "", "BLOCKED"},
                  {JobState::kRunning, "", "RUNNING"},
                  {JobState::kRetryWait, "", "RETRY_WAIT"},
                  {JobState::kCancelled, "conflict: JOB is already CANCELLED", "CANCELLED"}},
                 [](JobId id) { return SetPriority{id, 600}; });
}

TEST_F(DecideJob, ThePriorityThatItHasIsNoEvent) {
  const JobId id = Submit(SpecOf(1));
  EXPECT_TRUE(Do(SetPriority{id, 500}).empty());
}

TEST_F(DecideJob, AJobThatHoldsNothingChangesItsQueue) {
  SetQueue vision;
  vision.name = "vision";
  Do(vision);
  ExpectOutcomes(
      {{JobState::kHeld, "", "HELD"},
       {JobState::kQueued, "", "QUEUED"},
       {JobState::kBlocked, "", "BLOCKED"},
       {JobState::kRetryWait, "", "RETRY_WAIT"},
       {JobState::kRunning,
        "conflict: JOB is RUNNING: only a job that holds nothing can change its queue", "RUNNING"},
       {JobState::kCompleted, "conflict: JOB is already COMPLETED", "COMPLETED"}},
      [](JobId id) { return ChangeJobQueue{id, "vision"}; });
}

TEST_F(DecideJob, ItsNewQueueAdmitsItAsItAdmitsASubmit) {
  SetQueue part;
  part.name = "part";
  part.limit.gpus = 1;
  part.default_time = Duration::Minutes(30);
  part.max_time = Duration::Minutes(60);
  Do(part);
  SetQueue below;
  below.name = "above/below";
  SetQueue above;
  above.name = "above";
  Do(above);
  Do(below);
  const JobId id = Submit(SpecOf(1));
  EXPECT_EQ(Refusal(ChangeJobQueue{id, "nowhere"}),
            "not-found: queue: there is no queue nowhere (gpu-platform queues list)");
  EXPECT_EQ(Refusal(ChangeJobQueue{id, "above"}),
            "invalid-argument: queue: above has queues below it: name one of those, such as "
            "above/below");
  const JobId large = Submit(SpecOf(2));
  EXPECT_THAT(Refusal(ChangeJobQueue{large, "part"}),
              testing::StartsWith("conflict: the job can never start: "));
  const JobId longer =
      Submit(SpecOf(1, [](JobSpec& s) { s.policy.time_limit = Duration::Minutes(90); }));
  EXPECT_EQ(Refusal(ChangeJobQueue{longer, "part"}),
            "invalid-argument: time_limit: jobs of queue part may run for 1h at most");
  EXPECT_EQ(Refusal(ChangeJobQueue{id, "part"}), "");
  EXPECT_EQ(JobOf(id).queue, "part");
  EXPECT_EQ(JobOf(id).spec->policy.time_limit, Duration::Minutes(30)) << "the queue's";
  EXPECT_TRUE(Do(ChangeJobQueue{id, "part"}).empty()) << "it is there";
}

TEST_F(DecideJob, HasNoNetworkInAQueueWithoutOne) {
  SetQueue closed{.name = "closed"};
  closed.network = NetworkAccess::kNone;
  Do(closed);
  const JobId id = Submit(SpecOf(1, [](JobSpec& s) { s.policy.queue = "closed"; }));
  EXPECT_EQ(JobOf(id).spec->program.network, NetworkAccess::kNone);
  const JobId open = Submit(SpecOf(1));
  EXPECT_EQ(JobOf(open).spec->program.network, NetworkAccess::kHost);
  EXPECT_EQ(Refusal(ChangeJobQueue{open, "closed"}),
            "conflict: jobs of queue closed have no network, and job-2 was submitted with one: "
            "submit it there");
  EXPECT_EQ(Refusal(ChangeJobQueue{id, "default"}), "") << "it keeps what it has";
  EXPECT_EQ(JobOf(id).spec->program.network, NetworkAccess::kNone);
}

TEST_F(DecideJob, OfNobodyIsNotFound) {
  const JobId none{99};
  for (const Command& command :
       {Command(StopJob{none}), Command(HoldJob{none}), Command(ReleaseJob{none}),
        Command(SetPriority{none, 1}), Command(ChangeTimeLimit{none, Duration::Minutes(1)}),
        Command(ChangeJobQueue{none, "vision"})})
    EXPECT_EQ(Refusal(command), "not-found: no job job-99");
}

TEST_F(DecideJob, ATimeLimitHasARange) {
  const auto limited = [](Duration limit) {
    return SpecOf(1, [limit](JobSpec& s) { s.policy.time_limit = limit; });
  };
  const JobId without = Submit(SpecOf(1));
  EXPECT_EQ(Refusal(ChangeTimeLimit{without, Duration::Minutes(1)}),
            "conflict: job-1 has no time limit");
  const JobId id = Submit(limited(Duration::Minutes(10)));
  const auto change = [&](Duration to, Duration by = {}) {
    return Refusal(ChangeTimeLimit{id, to, by});
  };
  EXPECT_EQ(change(Duration::Milliseconds(999)),
            "invalid-argument: time_limit: must be from 1s to 3650d, not 999ms");
  EXPECT_EQ(change({}), "invalid-argument: time_limit: must be from 1s to 3650d, not less");
  EXPECT_EQ(change(kTimeLimitMax + Duration::Minutes(24 * 60)),
            "invalid-argument: time_limit: must be from 1s to 3650d, not 3651d");
  EXPECT_EQ(change({}, Duration::Minutes(-10)),
            "invalid-argument: time_limit: must be from 1s to 3650d, not less");
  EXPECT_EQ(change({}, Duration{INT64_MIN}),
            "invalid-argument: time_limit: must be from 1s to 3650d, not less")
      << "nothing overflows";
  EXPECT_EQ(change({}, Duration::Minutes(-9)), "");
  EXPECT_EQ(JobOf(id).spec->policy.time_limit, Duration::Minutes(1));
  EXPECT_EQ(change(kTimeLimitMax), "");
  EXPECT_TRUE(Do(ChangeTimeLimit{id, kTimeLimitMax}).empty()) << "as it is";
}

TEST_F(DecideJob, ATimeLimitOfOneThatRunsEndsInTheFuture) {
  const JobId id = Run(SpecOf(1, [](JobSpec& s) { s.policy.time_limit = Duration::Minutes(10); }));
  cluster_.Advance(Duration::Minutes(5));
  EXPECT_EQ(Refusal(ChangeTimeLimit{id, Duration::Minutes(5)}),
            "conflict: job-1 has run for longer than that already: jobs cancel ends it");
  EXPECT_EQ(Refusal(ChangeTimeLimit{id, Duration::Minutes(5) + Duration::Milliseconds(1)}), "");
  Do(StopJob{id});
  EXPECT_EQ(Refusal(ChangeTimeLimit{id, Duration::Minutes(20)}),
            "conflict: job-1 is being stopped: cancelled");
  EndAll(id, {LeaseEnd::kStopped, 0, 15, ""});
  EXPECT_EQ(Refusal(ChangeTimeLimit{id, Duration::Minutes(20)}),
            "conflict: job-1 is already CANCELLED");
}

TEST_F(DecideJob, ARequestThatIsRepeatedIsAnsweredWithoutASecondJob) {
  const SubmitJob submit{std::make_shared<const JobSpec>(SpecOf(1)), {"ana", 1, 1}};
  EXPECT_EQ(Do(submit, "r-1").size(), 1U);
  EXPECT_TRUE(Do(submit, "r-1").empty());
  EXPECT_EQ(Do(submit, "r-2").size(), 1U);
  SubmitJob other = submit;
  other.user = {"ben", 2, 1};
  EXPECT_EQ(Do(other, "r-1").size(), 1U) << "of somebody else";
  EXPECT_EQ(Do(submit, "").size(), 1U) << "without an id each is a new one";
  EXPECT_EQ(Do(submit, "").size(), 1U);
  EXPECT_EQ(cluster_.state().jobs.last, 5U);
}

// Also one that is not valid any more by rules that came later.
TEST_F(DecideJob, ARepeatedRequestIsAnsweredBeforeQueuesAreLookedAt) {
  Do(SetQueue{.name = "team"});
  const SubmitJob submit{
      std::make_shared<const JobSpec>(SpecOf(1, [](JobSpec& s) { s.policy.queue = "team"; })),
      {"ana", 1, 1}};
  Do(submit, "r-1");
  Do(SetQueue{.name = "team", .limit = {.gpus = 0}});
  EXPECT_TRUE(Do(submit, "r-1").empty());
  EXPECT_EQ(Refusal(submit),
            "conflict: the job can never start: queue team has a limit of 0 GPUs: 0 in use, 1 more "
            "requested");
}

TEST_F(DecideJob, AQueueIsOneThatMayHaveJobs) {
  Do(SetQueue{.name = "research"});
  Do(SetQueue{.name = "research/nlp"});
  const auto into = [&](const std::string& queue, const std::string& project = "default") {
    return SubmitRefusal(SpecOf(1, [&](JobSpec& s) {
      s.policy.queue = queue;
      s.project = project;
    }));
  };
  EXPECT_EQ(into("none"), "not-found: queue: there is no queue none (gpu-platform queues list)");
  EXPECT_EQ(into("research"),
            "invalid-argument: queue: research has queues below it: name one of those, such as "
            "research/nlp");
  EXPECT_EQ(into("research/nlp"), "");
  EXPECT_EQ(JobOf({1}).queue, "research/nlp");
  EXPECT_EQ(into("", "unknown"), "");
  EXPECT_EQ(JobOf({2}).queue, kDefaultQueue) << "no queue has the name of its project";
  Do(SetQueue{.name = "unknown"});
  EXPECT_EQ(into("", "unknown"), "");
  EXPECT_EQ(JobOf({3}).queue, "unknown");
}

TEST_F(DecideJob, ASubmitForgetsTheOldestBeyondWhatIsKept) {
  Begin([](Policy& policy) { policy.jobs_kept = 1; });
  for (int i = 0; i < 3; ++i) {
    const JobId id = Submit(SpecOf(1));
    cluster_.Advance(Duration::Seconds(1));
    Do(StopJob{id});
  }
  EXPECT_EQ(Texts(Do(SubmitJob{JobOf({3}).spec, {"ana", 97, 1}})),
            "job-submitted job-4, job-forgotten job-2");
  EXPECT_EQ(cluster_.state().FindJob({2}), nullptr);
  EXPECT_NE(cluster_.state().FindJob({3}), nullptr);
}

}  // namespace
}  // namespace gp
