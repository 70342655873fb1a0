// What counts elapsed time goes on evenly whatever happens to the wall clock; what is of the
// calendar follows it.

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "domain/cluster/metering.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

struct TimeRig {
  ManualClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop;
  NodeId node;

  TimeRig() { Begin(); }
  // `deaf_min`: so that steps of this clock are no suspension.
  void Begin(Duration deaf_min = kHour * 1000) {
    loop.reset();
    ControlOptions options;
    options.by_hand = true;
    options.deaf_min = deaf_min;
    options.policy = TestPolicy();
    loop = *ControlLoop::Open(journal, clock, options);
  }
  void Tick() { EXPECT_TRUE(loop->Execute("x", "", gp::Tick{}).status); }
  void AddNode() {
    const auto facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0}));
    EXPECT_TRUE(loop->Execute("node", "", JoinNode{facts, 1, true, {}, 0}).status);
    loop->HeardFrom(node);
    EXPECT_TRUE(loop->Execute("node", "",
                              ReportNode{node, 1, {}, {{0, true, false, ""}, {1, true, false, ""}}})
                    .status);
  }
  JobId Place(Duration limit) {
    JobSpec spec;
    spec.program.command = {"/bin/true"};
    spec.resources.gpus.count = 1;
    spec.policy.time_limit = limit;
    const JobId job =
        loop->Execute("user:ana", "",
                      SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}})
            .job;
    (void)loop->Turn();
    return job;
  }
  JobId Run(Duration limit) {
    const JobId job = Place(limit);
    Report(job, Duration::Seconds(0));
    return job;
  }
  // Its node says that the job has run for `ran`, by a wall clock that is a year off.
  void Report(JobId job, Duration ran) {
    LeaseObservation seen;
    seen.running = true;
    seen.started_at = clock.Now() + kHour * (365 * 24);
    seen.ran = ran + Duration::Milliseconds(1);
    Report(job, seen);
  }
  void Report(JobId job, LeaseObservation seen) {
    Read([&](const State& state) { seen.lease = state.FindJob(job)->leases.front(); });
    loop->HeardFrom(node);
    EXPECT_TRUE(loop->Execute("node", "", ReportNode{node, 1, {seen}, {}}).status);
  }
  template <typename F>
  void Read(F read) {
    ASSERT_TRUE(loop->Read([&](const State& state) { read(state); }));
  }
  Job Of(JobId id) {
    Job job;
    Read([&](const State& state) { job = *state.FindJob(id); });
    return job;
  }
};

TEST(TimeLine, AStepOfTheWallClockEndsNoJobAndCostsNobody) {
  TimeRig rig;
  rig.AddNode();
  const JobId job = rig.Run(kHour);
  rig.clock.Advance(Duration::Seconds(10));
  for (const int64_t hours : {2, -12, 10}) {
    rig.clock.StepWall(kHour * hours);
    rig.Tick();
    EXPECT_EQ(rig.Of(job).stop, StopCause::kNone) << hours;
    rig.Read([&](const State& state) {
      EXPECT_EQ(UseOf(state, *state.FindJob(job), rig.loop->Now()).time.units,
                int64_t{10'000} * kWholeShare)
          << hours;
      EXPECT_EQ(WallOf(state.time, rig.loop->Now()), rig.clock.Now()) << hours;
    });
  }
  rig.clock.Advance(kHour - Duration::Seconds(11));
  rig.Tick();
  EXPECT_EQ(rig.Of(job).stop, StopCause::kNone);
  rig.clock.Advance(Duration::Seconds(2));
  rig.Tick();
  EXPECT_EQ(rig.Of(job).stop, StopCause::kTimeLimit);
}

// Its reservations and limits are of the calendar.
TEST(TimeLine, AStepOfTheWallClockMakesANewPlan) {
  TimeRig rig;
  while (*rig.loop->Turn() == Duration{}) continue;
  rig.clock.StepWall(kHour);
  EXPECT_EQ(rig.loop->Turn(), Duration{}) << "the next turn plans at once";
}

TEST(TimeLine, AJobStartedWhenItsNodesBootClockSays) {
  TimeRig rig;
  rig.AddNode();
  const JobId job = rig.Run({});
  EXPECT_EQ(rig.Of(job).attempts.back().started_at, rig.loop->Now() - Duration::Milliseconds(1));
}

// Its supervisor was lost before it was heard of, and nobody knows for how long it ran.
TEST(TimeLine, AWallClockAloneTellsOfNoStartBeforeThePlacementOrAfterNow) {
  TimeRig rig;
  rig.AddNode();
  rig.clock.StepWall(kHour * 2);
  rig.Tick();
  const Duration year = kHour * (365 * 24);
  for (const auto& [off, back] : {std::pair(Duration{}, 4), {year, 0}, {Duration{} - year, 10}}) {
    const JobId job = rig.Place({});
    rig.clock.Advance(Duration::Seconds(10));
    LeaseObservation seen;
    seen.ended = true;
    seen.started_at = rig.clock.Now() - Duration::Seconds(4) + off;
    rig.Report(job, seen);
    const Instant started_at = rig.loop->Now() - Duration::Seconds(back);
    EXPECT_EQ(rig.Of(job).attempts.back().started_at, started_at) << off.ns;
  }
}

TEST(TimeLine, OnTheSameBootARestartAsksNoWallClock) {
  TimeRig rig;
  rig.AddNode();
  const JobId job = rig.Run(kHour);
  const Instant before = rig.loop->Now();
  rig.loop->Stop();
  rig.clock.StepWall(kHour * 10);
  rig.clock.Advance(Duration::Seconds(30));
  rig.Begin();
  EXPECT_EQ(rig.loop->Now() - before, Duration::Seconds(30));
  rig.Tick();
  EXPECT_EQ(rig.Of(job).stop, StopCause::kNone);
  rig.Read(
      [&](const State& state) { EXPECT_EQ(WallOf(state.time, rig.loop->Now()), rig.clock.Now()); });
}

TEST(TimeLine, AfterARebootTimeGoesOnByTheWallClockAndNeverBack) {
  TimeRig rig;
  rig.clock.Advance(kHour);
  rig.AddNode();
  const Instant before = rig.loop->Now();
  rig.loop->Stop();
  rig.clock.Reboot("boot-2", Duration::Minutes(5));
  rig.Begin();
  EXPECT_EQ(rig.loop->Now() - before, Duration::Minutes(5));
  rig.loop->Stop();
  rig.clock.Reboot("boot-3", kHour * -3);
  rig.Begin();
  EXPECT_EQ(rig.loop->Now() - before, Duration::Minutes(5));
  rig.Read(
      [&](const State& state) { EXPECT_EQ(WallOf(state.time, rig.loop->Now()), rig.clock.Now()); });
}

TEST(TimeLine, ReservationsKeepTheirTimesOfTheCalendar) {
  TimeRig rig;
  rig.AddNode();
  const Instant begin = rig.clock.Now() + kHour * 5;
  ReserveNodes command;
  command.reservation.name = "course";
  command.reservation.starts_at = begin;
  command.reservation.ends_at = begin + kHour;
  command.reservation.nodes = {rig.node};
  ASSERT_TRUE(rig.loop->Execute("user:root", "", command).status);
  const JobId job = rig.Run({kHour.ns / 2});
  rig.clock.StepWall(kHour * 4);
  rig.Tick();
  rig.Read([&](const State& state) {
    const Reservation& course = state.reservations.all.at("course");
    EXPECT_EQ(WallOf(state.time, course.starts_at), begin);
    EXPECT_EQ(course.starts_at - rig.loop->Now(), kHour);
  });
  rig.clock.StepWall(kHour);  // it begins, and who was placed before stays
  rig.Tick();
  EXPECT_EQ(rig.Of(job).stop, StopCause::kNone);
  rig.clock.Advance(kHour);
  rig.Tick();
  rig.Read([&](const State& state) { EXPECT_TRUE(state.reservations.all.empty()); });
}

// Days of the books are the calendar's; all of them together are the time that passed.
TEST(TimeLine, BooksFollowTheCalendarAndLoseNoTime) {
  TimeRig rig;
  rig.AddNode();
  (void)rig.Run({});
  const Instant before = rig.loop->Now();
  for (const int64_t hours : {30, -20, 50, -100, 3}) {
    rig.clock.Advance(Duration::Minutes(10));
    rig.loop->HeardFrom(rig.node);
    rig.clock.StepWall(kHour * hours);
    rig.Tick();
    const ServiceAction action = hours > 0 ? ServiceAction::kDrain : ServiceAction::kOnline;
    EXPECT_TRUE(
        rig.loop->Execute("user:root", "", ChangeService{rig.node, 1, action, false, "", {}})
            .status);
  }
  rig.Read([&](const State& state) {
    const Instant now = rig.loop->Now();
    GpuTime all;
    for (const auto& [row, time] : state.metering.installed.LedgerAt(now).rows) all += time;
    EXPECT_EQ(all.units, Wide{2} * kWholeShare * (now - before).ToMilliseconds());
    EXPECT_EQ(state.metering.used.ledger.today, DayOf(rig.clock.Now() + kHour * 97))
        << "the latest day that there was";
  });
}

TEST(TimeLine, AControllerThatWasStoppedTakesNobodyForSilent) {
  TimeRig rig;
  rig.Begin(ControlOptions().deaf_min);
  rig.AddNode();
  const auto live = [&](Duration time) {
    for (int64_t left = time.ToMilliseconds(); left > 0; left -= 250) {
      rig.clock.Advance(Duration::Milliseconds(250));
      (void)rig.loop->Turn();
    }
  };
  const auto is_up = [&] {
    bool up = false;
    rig.Read([&](const State& state) { up = state.nodes.all[0].condition == NodeCondition::kUp; });
    return up;
  };
  live(Duration::Seconds(5));
  rig.clock.Advance(kHour);  // stopped
  live(Duration::Seconds(4));
  EXPECT_TRUE(is_up());
  live(Duration::Seconds(2));
  EXPECT_FALSE(is_up()) << "it has been silent for 11 s in which somebody listened";
}

// Its turns take long, but messages are read meanwhile.
TEST(TimeLine, AControllerThatIsSlowHearsWhoIsSilent) {
  TimeRig rig;
  rig.Begin(ControlOptions().deaf_min);
  rig.AddNode();
  const auto facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n2", {0}));
  ASSERT_TRUE(rig.loop->Execute("node", "", JoinNode{facts, 1, true, {}, 0}).status);
  const NodeId other{1};
  for (int turn = 0; turn < 5; ++turn) {
    rig.clock.Advance(Duration::Milliseconds(1'500));
    rig.loop->Listened();
    rig.loop->HeardFrom(other);
    rig.clock.Advance(Duration::Milliseconds(1'500));
    (void)rig.loop->Turn();
  }
  rig.Read([&](const State& state) {
    EXPECT_EQ(state.FindNode(rig.node)->condition, NodeCondition::kLost);
    EXPECT_EQ(state.FindNode(other)->condition, NodeCondition::kUp);
  });
}

TEST(TimeLine, AStepToTheBeginOfAReservationStartsItsJobs) {
  TimeRig rig;
  rig.AddNode();
  ReserveNodes command;
  command.reservation.name = "course";
  command.reservation.users = {"ana"};
  command.reservation.starts_at = rig.clock.Now() + kHour * 5;
  command.reservation.ends_at = rig.clock.Now() + kHour * 9;
  command.reservation.nodes = {rig.node};
  ASSERT_TRUE(rig.loop->Execute("user:root", "", command).status);
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 1;
  spec.policy.time_limit = kHour;
  spec.placement.reservation = "course";
  const User ana{"ana", 1000, 1000};
  const auto shared = std::make_shared<const JobSpec>(spec);
  const JobId job = rig.loop->Execute("user:ana", "", SubmitJob{shared, ana}).job;
  (void)rig.loop->Turn();
  EXPECT_EQ(rig.Of(job).state, JobState::kQueued);
  rig.clock.StepWall(kHour * 5);
  rig.loop->HeardFrom(rig.node);
  for (int turn = 0; turn < 3; ++turn) (void)rig.loop->Turn();
  EXPECT_EQ(rig.Of(job).state, JobState::kStarting);
}

}  // namespace
}  // namespace gp
