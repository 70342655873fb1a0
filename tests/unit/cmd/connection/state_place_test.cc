#include "cmd/connection/state_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infrastructure/paths.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

TEST(StatePlace, IsWhatTheControllerNoted) {
  const Scratch run;
  ASSERT_TRUE(KeepStatePlace(run.path(), "/srv/state of it").has_value());
  EXPECT_EQ(*StatePlace(run.path()), "/srv/state of it");
  ASSERT_TRUE(KeepStatePlace(run.path(), "/other").has_value());
  EXPECT_EQ(*StatePlace(run.path()), "/other");
}

TEST(StatePlace, IsTheDefaultWhereNothingIsNoted) {
  const Scratch run;
  EXPECT_EQ(*StatePlace(run.path()), DefaultStateDirectory());
  ASSERT_TRUE(KeepStatePlace(run.path(), "/srv/state").has_value());
  ForgetStatePlace(run.path());
  EXPECT_EQ(*StatePlace(run.path()), DefaultStateDirectory());
  ForgetStatePlace(run.path());
}

TEST(StatePlace, FilesOfAnotherMachineAreNotLookedForHere) {
  const auto place = StatePlace("10.0.0.1:7070");
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(place.error().message, ::testing::HasSubstr("10.0.0.1:7070"));
}

TEST(StatePlace, ADirectoryThatIsNotThereIsAnError) {
  EXPECT_FALSE(KeepStatePlace("/nowhere/run", "/srv/state").has_value());
}

}  // namespace
}  // namespace gp
