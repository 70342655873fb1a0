#include "domain/scheduling/class_floors.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

class ClassFloorsTest : public testing::Test {
 protected:
  // A pool of 100 GPUs: the floor is 5.
  ClassFloorsTest() { state_.nodes.capacity["default"] = 100; }

  void Holds(uint64_t job, int gpus) {
    state_.leases.shares_by_class[{"default", 1}][JobId{job}] = gpus * kWholeShare;
  }

  static Job JobOf(uint64_t id) {
    Job job;
    job.id = JobId{id};
    job.spec = std::make_shared<const JobSpec>();
    return job;
  }

  State state_;
};

TEST_F(ClassFloorsTest, OfAClassThatHoldsLessEverybodyIsBelow) {
  Holds(1, 4);
  EXPECT_TRUE(ClassFloors(state_).IsBelow(JobOf(99)));
  Holds(2, 1);
  EXPECT_FALSE(ClassFloors(state_).IsBelow(JobOf(99)));
}

TEST_F(ClassFloorsTest, YoungerOnesDoNotUseItUp) {
  Holds(10, 3);
  Holds(20, 8);
  ClassFloors floors(state_);
  EXPECT_TRUE(floors.IsBelow(JobOf(5)));
  EXPECT_TRUE(floors.IsBelow(JobOf(15)));
  EXPECT_FALSE(floors.IsBelow(JobOf(21)));
}

TEST_F(ClassFloorsTest, WhatIsPlacedInThePassCounts) {
  Holds(10, 3);
  ClassFloors floors(state_);
  floors.Charge(JobOf(40), 4 * kWholeShare);
  EXPECT_TRUE(floors.IsBelow(JobOf(30)));
  EXPECT_FALSE(floors.IsBelow(JobOf(41)));
  floors.Charge(JobOf(12), 2 * kWholeShare);
  EXPECT_TRUE(floors.IsBelow(JobOf(12)));
  EXPECT_FALSE(floors.IsBelow(JobOf(13)));
  floors.Charge(JobOf(50), kWholeShare);
  EXPECT_FALSE(floors.IsBelow(JobOf(30)));
}

TEST_F(ClassFloorsTest, WithoutAFloorNobodyIsBelow) {
  state_.policy.class_floor = 0;
  EXPECT_FALSE(ClassFloors(state_).IsBelow(JobOf(1)));
  Holds(10, 3);
  ClassFloors floors(state_);
  floors.Charge(JobOf(2), kWholeShare);
  EXPECT_FALSE(floors.IsBelow(JobOf(1)));
}

}  // namespace
}  // namespace gp
