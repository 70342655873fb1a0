// When a controller has to tick next: the first of all that is due by time alone.  One that is left
// out here would never happen on an idle cluster.

#include "domain/cluster/next_deadline.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class NextDeadlines : public ClusterFixture {
 protected:
  NextDeadlines() {
    Do(StartController{TestPolicy()});
    node_ = AddNode("n1", {0, 0, 0, 0});
  }

  // From now; nullopt: never.
  std::optional<Duration> Next() const {
    const Instant next = NextDeadline(cluster_.state());
    if (next.ns == 0) return std::nullopt;
    return next - cluster_.now();
  }
  // That it is due then, and not before; afterwards nothing more is due.
  void ExpectAt(Duration due) {
    ASSERT_EQ(Next(), due);
    cluster_.Advance(due - Duration{1});
    EXPECT_TRUE(Do(Tick{}).empty());
    cluster_.Advance(Duration{1});
    EXPECT_FALSE(Do(Tick{}).empty());
  }
  static JobSpec Limited(Duration limit) {
    return SpecOf(1, [limit](JobSpec& spec) { spec.policy.time_limit = limit; });
  }

  NodeId node_;
};

TEST_F(NextDeadlines, OfAnIdleClusterThereIsNone) {
  EXPECT_EQ(Next(), std::nullopt);
  Run(SpecOf(1));
  EXPECT_EQ(Next(), std::nullopt) << "a job without a limit";
  Submit(SpecOf(8));
  EXPECT_EQ(Next(), std::nullopt) << "one that waits for GPUs";
}

TEST_F(NextDeadlines, TimeLimitsAndTheirNotices) {
  Run(Limited(Duration::Minutes(20)));
  ExpectAt(Duration::Minutes(15));
  ExpectAt(Duration::Minutes(5));
  EXPECT_EQ(Next(), std::nullopt) << "it is being stopped";
}

TEST_F(NextDeadlines, TheFirstOfSeveral) {
  Run(Limited(Duration::Minutes(60)));
  Run(Limited(Duration::Minutes(20)));
  EXPECT_EQ(Next(), Duration::Minutes(15));
}

TEST_F(NextDeadlines, TheEndOfABackOff) {
  const JobId id = Run(SpecOf(1, [](JobSpec& s) { s.recovery.retry.on_failure = true; }));
  EndAll(id, {LeaseEnd::kExited, 1, 0, ""});
  ExpectAt(Duration::Seconds(10));
  EXPECT_EQ(StateOf(id), "QUEUED");
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, TheLeasesOfALostNode) {
  Run(SpecOf(1, [](JobSpec& s) { s.recovery.on_lease_loss = LeaseLoss::kStop; }));
  Do(ExpireHeartbeat{node_});
  ExpectAt(cluster_.state().policy.lease_end_time);
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, TheEndOfAReservation) {
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  reserve.reservation.nodes = {node_};
  reserve.reservation.users = {"ana"};
  reserve.reservation.starts_at = cluster_.now() + Duration::Minutes(10);
  reserve.reservation.ends_at = cluster_.now() + Duration::Minutes(30);
  Do(reserve);
  ExpectAt(Duration::Minutes(30));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, TheStopForMaintenance) {
  const JobId id = Run(SpecOf(1));
  ReserveNodes reserve;
  reserve.reservation.name = "work";
  reserve.reservation.nodes = {node_};
  reserve.reservation.maintenance = true;
  reserve.reservation.starts_at = cluster_.now() + Duration::Minutes(10);
  reserve.reservation.ends_at = cluster_.now() + Duration::Minutes(30);
  Do(reserve);
  ExpectAt(Duration::Minutes(10) - Duration::Seconds(40));
  EXPECT_EQ(JobOf(id).stop, StopCause::kDrain);
  EXPECT_EQ(Next(), Duration::Minutes(20) + Duration::Seconds(40)) << "its end";
}

TEST_F(NextDeadlines, TheDeadlineOfADrain) {
  const JobId id = Run(SpecOf(1));
  Do(ChangeService{node_, 0, ServiceAction::kDrain, false, "fan", Duration::Minutes(3)});
  Do(ChangeService{node_, -1, ServiceAction::kDrain, false, "fan", Duration::Minutes(5)});
  ExpectAt(Duration::Minutes(3));
  EXPECT_EQ(JobOf(id).stop, StopCause::kDrain);
  ExpectAt(Duration::Minutes(2));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, TheEndOfATokenByTheWallClock) {
  AccessToken token;
  token.label = "test";
  token.user = {"ana", 1, 1};
  token.hash = std::string(kTokenHashLength, 'a');
  token.expires_at = cluster_.now() + Duration::Minutes(10);
  Do(IssueToken{token});
  EXPECT_EQ(Next(), Duration::Minutes(10));
  Do(StepWallClock{Duration::Minutes(4)});
  ExpectAt(Duration::Minutes(6));
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, TheEndOfAnIncidentThatNeedsNobody) {
  const JobId id = Run(SpecOf(1));
  FaultSignal signal;
  signal.number = 1;
  signal.gpu = 0;
  signal.xid = 68;
  signal.lease = JobOf(id).leases[0];
  Do(ReportGpus{node_, 1, {signal}, {}});
  ASSERT_EQ(cluster_.state().faults.incidents.size(), 1U);
  ExpectAt(cluster_.state().policy.faults.incident_window);
  EXPECT_EQ(Next(), std::nullopt);
}

// A remedy that can begin, and a dependency that is decided, need no time at all.
TEST_F(NextDeadlines, ARemedyThatCanBeginIsDueAtOnce) {
  const JobId id = Run(SpecOf(1));
  Do(ChangeService{node_, 0, ServiceAction::kReset, true, "test"});
  EXPECT_EQ(Next(), std::nullopt) << "its job has not left yet";
  EndAll(id, {LeaseEnd::kStopped, 0, 15, ""});
  EXPECT_EQ(NextDeadline(cluster_.state()), Instant{1});
  EXPECT_FALSE(Do(Tick{}).empty());
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, ADependencyThatIsDecidedIsDueAtOnce) {
  const JobId before = Run(SpecOf(1));
  const JobId after = Submit(SpecOf(1, [&](JobSpec& s) { s.policy.after = {{before}}; }));
  EXPECT_EQ(Next(), std::nullopt);
  EndAll(before);
  EXPECT_EQ(NextDeadline(cluster_.state()), Instant{1});
  Do(Tick{});
  EXPECT_EQ(StateOf(after), "QUEUED");
  EXPECT_EQ(Next(), std::nullopt);
}

TEST_F(NextDeadlines, WhenAFinishedJobIsForgotten) {
  Begin([](Policy& policy) { policy.jobs_kept_for = Duration::Minutes(30); });
  const JobId first = Run(SpecOf(1));
  const JobId second = Run(SpecOf(1));
  EndAll(first);
  cluster_.Advance(Duration::Minutes(10));
  EndAll(second);
  ExpectAt(Duration::Minutes(20));
  EXPECT_EQ(cluster_.state().FindJob(first), nullptr);
  ExpectAt(Duration::Minutes(10));
  EXPECT_EQ(cluster_.state().FindJob(second), nullptr);
  EXPECT_EQ(Next(), std::nullopt);
}

// What others wait for stays, however old it is.
TEST_F(NextDeadlines, AJobThatIsWaitedForIsNotForgotten) {
  Begin([](Policy& policy) { policy.jobs_kept_for = Duration::Minutes(30); });
  const JobId ended = Run(SpecOf(1));
  const JobId open = Run(SpecOf(1));
  const JobId waits = Submit(SpecOf(1, [&](JobSpec& s) { s.policy.after = {{ended}, {open}}; }));
  EndAll(ended);
  EXPECT_EQ(Next(), std::nullopt);
  Do(StopJob{waits});
  EXPECT_EQ(Next(), Duration::Minutes(30));
}

}  // namespace
}  // namespace gp
