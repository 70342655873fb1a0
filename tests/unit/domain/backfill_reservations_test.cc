// Which nodes are closed to which job while others have them reserved.

#include "domain/scheduling/backfill_reservations.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

constexpr Instant kPassAt{1'700'000'000'000'000'000};
constexpr JobId kOwner{1};
const std::set<NodeId> kNoNodes;

Instant In(Duration span) { return kPassAt + span; }

class ClosedNodes : public testing::Test {
 protected:
  std::set<NodeId> ClosedTo(const Job& job) { return backfill_->ClosedTo(job); }
  void SetCourse(Instant from, Instant until, const std::string& user) {
    Reservation course;
    course.name = "course";
    course.nodes = {{5}};
    course.starts_at = from;
    course.ends_at = until;
    course.users = {user};
    state_.reservations.all["course"] = course;
    backfill_.emplace(state_, kPassAt);
  }

  State state_;
  std::optional<BackfillReservations> backfill_{std::in_place, state_, kPassAt};
};

TEST_F(ClosedNodes, AreNoneWhereNothingIsReserved) {
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {2})), kNoNodes);
  EXPECT_EQ(backfill_->changes(), 0);
}

TEST_F(ClosedNodes, OpenToWhoeverHasLeftByThen) {
  backfill_->Reserve({3}, {kOwner, In(Duration::Minutes(10))});
  const Duration limit = Duration::Minutes(10) - Duration::Seconds(40);
  EXPECT_EQ(ClosedTo(JobOfAna(limit, "", {2})), kNoNodes);
  EXPECT_EQ(ClosedTo(JobOfAna(limit + Duration{1}, "", {2})), (std::set<NodeId>{{3}}));
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {2})), (std::set<NodeId>{{3}})) << "without a limit";
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {1})), kNoNodes) << "its owner";
}

TEST_F(ClosedNodes, OfAnUnknownStartAreOpenToAnyLimit) {
  backfill_->Reserve({3}, {kOwner, kUnknownStart});
  EXPECT_EQ(ClosedTo(JobOfAna(kTimeLimitMax, "", {2})), kNoNodes);
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {2})), (std::set<NodeId>{{3}}));
  EXPECT_FALSE(HasShadowTime({kOwner, kUnknownStart}));
  EXPECT_FALSE(HasShadowTime({kOwner, {}}));
  EXPECT_TRUE(HasShadowTime({kOwner, kPassAt}));
}

// On nominated nodes victims are about to leave: nobody else comes, however short it is.
TEST_F(ClosedNodes, ThatAreNominatedAreClosedToAllOthers) {
  backfill_->Reserve({3}, {kOwner, {}});
  EXPECT_EQ(ClosedTo(JobOfAna(Duration::Seconds(1), "", {2})), (std::set<NodeId>{{3}}));
  EXPECT_EQ(ClosedTo(JobOfAna(Duration::Seconds(1), "", {1})), kNoNodes);
}

TEST_F(ClosedNodes, OfTwoOwnersEachOpensItsOwn) {
  backfill_->Reserve({3}, {kOwner, {}});
  backfill_->Reserve({4}, {{7}, In(Duration::Minutes(10))});
  EXPECT_EQ(backfill_->changes(), 2);
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {1})), (std::set<NodeId>{{4}}));
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {7})), (std::set<NodeId>{{3}}));
  EXPECT_EQ(ClosedTo(JobOfAna({}, "", {2})), (std::set<NodeId>{{3}, {4}}));
  EXPECT_EQ(backfill_->OfOthers(JobOfAna(Duration::Seconds(1), "", {1})), (std::set<NodeId>{{4}}))
      << "also where it would end in time";
  EXPECT_EQ(backfill_->Taken(JobOfAna({}, "", {1})), (std::set<NodeId>{{3}, {4}})) << "its own too";
}

// The cache of bounds is dropped with each new reservation.
TEST_F(ClosedNodes, FollowEachNewReservation) {
  const Job job = JobOfAna({}, "", {2});
  backfill_->Reserve({3}, {kOwner, In(Duration::Minutes(10))});
  EXPECT_EQ(ClosedTo(job), (std::set<NodeId>{{3}}));
  backfill_->Reserve({4}, {kOwner, In(Duration::Minutes(10))});
  EXPECT_EQ(ClosedTo(job), (std::set<NodeId>{{3}, {4}}));
  backfill_->Reserve({4}, {{2}, In(Duration::Minutes(10))});
  EXPECT_EQ(ClosedTo(job), (std::set<NodeId>{{3}})) << "the last word counts";
}

TEST_F(ClosedNodes, AreTheSameForJobsOfOneBound) {
  backfill_->Reserve({3}, {kOwner, In(Duration::Minutes(10))});
  backfill_->Reserve({4}, {{7}, In(Duration::Minutes(60))});
  const auto bound = [&](Duration limit) { return backfill_->BoundOf(JobOfAna(limit, "", {2})); };
  EXPECT_EQ(bound(Duration::Minutes(1)), bound(Duration::Minutes(9)));
  EXPECT_LT(bound(Duration::Minutes(9)), bound(Duration::Minutes(10)));
  EXPECT_EQ(bound(Duration::Minutes(10)), bound(Duration::Minutes(59)));
  EXPECT_LT(bound(Duration::Minutes(59)), bound(Duration::Minutes(60)));
  EXPECT_EQ(bound(Duration::Minutes(60)), bound({}));
}

TEST_F(ClosedNodes, OfAnAdvanceReservationFollowItsTimes) {
  SetCourse(In(Duration::Minutes(10)), In(Duration::Minutes(70)), "ana");
  const Duration limit = Duration::Minutes(10) - Duration::Seconds(40);
  EXPECT_EQ(ClosedTo(JobOfAna(limit, "", {2})), kNoNodes);
  EXPECT_EQ(ClosedTo(JobOfAna(limit + Duration{1}, "", {2})), (std::set<NodeId>{{5}}));
  EXPECT_EQ(ClosedTo(JobOfAna(limit, "course", {2})), (std::set<NodeId>{{5}}))
      << "its own has not begun";
  SetCourse(kPassAt, In(Duration::Minutes(60)), "ana");
  EXPECT_EQ(ClosedTo(JobOfAna(Duration::Minutes(59), "course", {2})), kNoNodes);
  EXPECT_EQ(ClosedTo(JobOfAna(Duration::Minutes(60), "course", {2})), (std::set<NodeId>{{5}}));
  SetCourse(kPassAt, In(Duration::Minutes(60)), "ben");
  EXPECT_EQ(ClosedTo(JobOfAna(Duration::Minutes(1), "course", {2})), (std::set<NodeId>{{5}}))
      << "for others";
  EXPECT_EQ(backfill_->OfOthers(JobOfAna({}, "", {2})), (std::set<NodeId>{{5}}));
  EXPECT_EQ(backfill_->Taken(JobOfAna({}, "", {2})), (std::set<NodeId>{{5}}));
}

TEST_F(ClosedNodes, BeginWithThoseThatWereGiven) {
  BackfillReservations given(state_, kPassAt, {{{3}, {kOwner, {}}}, {{4}, {kOwner, {}}}});
  EXPECT_EQ(given.all().size(), 2U);
  EXPECT_EQ(given.ClosedTo(JobOfAna({}, "", {2})), (std::set<NodeId>{{3}, {4}}));
}

}  // namespace
}  // namespace gp
