// Which reservations let a job onto their nodes, to the nanosecond, and when maintenance stops one.

#include <gtest/gtest.h>

#include <functional>

#include "domain/cluster/reservations.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

constexpr Instant kFrom{1'700'000'000'000'000'000};
constexpr Duration kLasts = Duration::Minutes(60);

Reservation CourseOf(const std::string& user) {
  Reservation course;
  course.name = "course";
  course.starts_at = kFrom;
  course.ends_at = kFrom + kLasts;
  course.users = {user};
  return course;
}

constexpr Duration kToEnd = Duration::Seconds(40);

TEST(Permits, WhoeverHasLeftBeforeItBegins) {
  const Reservation course = CourseOf("ben");
  const Job job = JobOfAna(Duration::Minutes(10));
  const Instant latest = kFrom - (Duration::Minutes(10) + kToEnd);
  EXPECT_TRUE(Permits(course, job, latest));
  EXPECT_FALSE(Permits(course, job, latest + Duration{1}));
  EXPECT_FALSE(Permits(course, JobOfAna({}), kFrom - Duration::Minutes(1'000'000)))
      << "without a limit it may stay for ever";
}

TEST(Permits, ItsOwnJobsWhileItLastsAndNoLonger) {
  const Reservation course = CourseOf("ana");
  const Job job = JobOfAna(Duration::Minutes(10), "course");
  EXPECT_FALSE(Permits(course, job, kFrom - Duration{1}));
  EXPECT_TRUE(Permits(course, job, kFrom));
  const Instant latest = kFrom + kLasts - (Duration::Minutes(10) + kToEnd);
  EXPECT_TRUE(Permits(course, job, latest));
  EXPECT_FALSE(Permits(course, job, latest + Duration{1}));
}

// A job of the user that does not name it is like anybody else's.
TEST(Permits, NobodyThatDoesNotNameIt) {
  EXPECT_FALSE(Permits(CourseOf("ana"), JobOfAna(Duration::Minutes(10)), kFrom));
  EXPECT_FALSE(Permits(CourseOf("ana"), JobOfAna(Duration::Minutes(10), "other"), kFrom));
}

// Deleted and made again under the same name, it may be for other users.
TEST(Permits, NobodyThatItIsNotForAnyMore) {
  const Job job = JobOfAna(Duration::Minutes(10), "course");
  EXPECT_TRUE(IsOf(CourseOf("ana"), job));
  EXPECT_FALSE(IsOf(CourseOf("ben"), job));
  EXPECT_FALSE(Permits(CourseOf("ben"), job, kFrom));
  Reservation of_queue = CourseOf("ben");
  of_queue.queues = {kDefaultQueue};
  EXPECT_TRUE(IsOf(of_queue, job));
}

class ReservedNodes : public testing::Test {
 protected:
  ReservedNodes() {
    NodeFacts facts;
    facts.name = "n1";
    Node node;
    node.facts = std::make_shared<const NodeFacts>(facts);
    state_.nodes.all = {node};
  }
  void Reserve(const Reservation& reservation) {
    state_.reservations.all[reservation.name] = reservation;
    state_.nodes.all[0].reservations.insert(reservation.name);
  }
  static Reservation MaintenanceAt(const std::string& name, Instant at) {
    Reservation work;
    work.name = name;
    work.starts_at = at;
    work.ends_at = at + kLasts;
    work.maintenance = true;
    return work;
  }
  // Placed on the node at that time.
  Job RunningSince(Instant at, Duration limit) {
    Job job = JobOfAna(limit);
    job.state = JobState::kRunning;
    job.attempts.push_back({.number = 1, .placed_at = at});
    job.leases = {{1}};
    state_.leases.all[{1}].node = {0};
    return job;
  }

  State state_;
};

TEST_F(ReservedNodes, AreInMaintenanceFromItsStartUntilItsEnd) {
  Reserve(MaintenanceAt("work", kFrom));
  const auto in_maintenance = [&](Instant at) {
    return IsInMaintenance(state_, state_.nodes.all[0], at);
  };
  EXPECT_FALSE(in_maintenance(kFrom - Duration{1}));
  EXPECT_TRUE(in_maintenance(kFrom));
  EXPECT_TRUE(in_maintenance(kFrom + kLasts - Duration{1}));
  EXPECT_FALSE(in_maintenance(kFrom + kLasts));
  state_.reservations.all["work"].maintenance = false;
  EXPECT_FALSE(in_maintenance(kFrom)) << "a course is none";
}

TEST_F(ReservedNodes, RefuseWhoWouldStayWithTheTimes) {
  Reserve(CourseOf("ben"));
  const Job late = JobOfAna(Duration::Minutes(10));
  const Status refused = CheckReservations(state_, late, state_.nodes.all[0], kFrom);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "node n1 is reserved for course from 2023-11-14T22:13:20Z to 2023-11-14T23:13:20Z");
  EXPECT_TRUE(CheckReservations(state_, late, state_.nodes.all[0], kFrom - Duration::Minutes(11)));
}

TEST_F(ReservedNodes, StopAJobInTimeForItsGrace) {
  const Job job = RunningSince(kFrom - kLasts, {});
  EXPECT_EQ(MaintenanceStopAt(MaintenanceAt("work", kFrom), job), kFrom - kToEnd);
}

TEST_F(ReservedNodes, StandInTheWayOfJobsThatMayStillBeThere) {
  Reserve(MaintenanceAt("work", kFrom));
  const auto hit = [&](const Job& job) { return InTheWayOf(state_, job).size(); };
  const Instant placed = kFrom - kLasts;
  EXPECT_EQ(hit(RunningSince(placed, {})), 1U);
  EXPECT_EQ(hit(RunningSince(placed, kLasts - kToEnd)), 0U) << "it leaves in time by itself";
  EXPECT_EQ(hit(RunningSince(placed, kLasts - kToEnd + Duration{1})), 1U);
  Job stopping = RunningSince(placed, {});
  stopping.stop = StopCause::kCancel;
  EXPECT_EQ(hit(stopping), 0U) << "it is on its way";
  Job waiting = RunningSince(placed, {});
  waiting.state = JobState::kQueued;
  EXPECT_EQ(hit(waiting), 0U);
  Reserve(MaintenanceAt("more", kFrom + kLasts));
  EXPECT_EQ(hit(RunningSince(placed, {})), 2U);
  Reserve(CourseOf("ben"));
  EXPECT_EQ(hit(RunningSince(placed, {})), 2U) << "only maintenance stops anybody";
}

TEST_F(ReservedNodes, TellAJobWhyItsOwnReservationDoesNotStartIt) {
  const Job job = JobOfAna(Duration::Minutes(10), "course");
  const auto why = [&](Instant at) { return WhyReservationWaits(state_, job, at); };
  EXPECT_EQ(WhyReservationWaits(state_, JobOfAna({}), kFrom), "") << "it names none";
  EXPECT_EQ(why(kFrom), "reservation course is over: submit the job again without it");
  Reserve(CourseOf("ben"));
  EXPECT_EQ(why(kFrom), "reservation course is for others now: submit the job again without it");
  Reserve(CourseOf("ana"));
  EXPECT_EQ(why(kFrom - Duration{1}), "reservation course begins at 2023-11-14T22:13:20Z");
  EXPECT_EQ(why(kFrom), "");
  EXPECT_EQ(why(kFrom + Duration::Minutes(50)),
            "reservation course ends at 2023-11-14T23:13:20Z: the job's time limit of 10m, its "
            "grace of 30s and 10s are more than what is left");
}

}  // namespace
}  // namespace gp
