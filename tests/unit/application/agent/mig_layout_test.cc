#include "application/agent/mig_layout.h"

#include <gmock/gmock.h>

namespace gp {
namespace {

using ::testing::HasSubstr;

// As an H100 with 80 GB.
MigTable H100() {
  return {7,
          8,
          {{0, "7g.80gb", 7, 8, 79'872, 0b1},
           {5, "4g.40gb", 4, 4, 40'192, 0b1},
           {9, "3g.40gb", 3, 4, 40'192, 0b1'0001},
           {14, "2g.20gb", 2, 2, 19'968, 0b1'0101},
           {15, "1g.20gb", 1, 2, 19'968, 0b101'0101},
           {19, "1g.10gb", 1, 1, 9'728, 0b111'1111}}};
}

TEST(MigLayout, OnlyItsInstancesAreLeftAndTheyStandBesideEachOther) {
  const auto confined = ConfineTo(H100(), {"2g.20gb", "3g.40gb", "2g.20gb"});
  ASSERT_TRUE(confined) << confined.error().message;
  ASSERT_EQ(confined->profiles.size(), 2u);
  MigSlices taken = 0;
  int places = 0;
  for (const MigProfile& profile : confined->profiles) {
    for (int start = 0; start < kMigSlicesMax; ++start) {
      if ((profile.starts >> start & 1) == 0) continue;
      EXPECT_EQ(taken & SlicesAt(profile, start), 0u);
      taken |= SlicesAt(profile, start);
      ++places;
    }
  }
  EXPECT_EQ(places, 3);
  EXPECT_TRUE(ValidateMigTable(*confined, 80'000));
  EXPECT_EQ(confined->compute_slices, 7) << "shares are of the whole GPU";
}

TEST(MigLayout, WhatCannotBeIsRefusedByName) {
  EXPECT_THAT(ConfineTo(H100(), {"3g.71gb"}).error().message,
              HasSubstr("no MIG profile 3g.71gb; it has 7g.80gb, 4g.40gb"));
  EXPECT_THAT(ConfineTo(H100(), {"4g.40gb", "4g.40gb"}).error().message,
              HasSubstr("do not fit on it together"));
  EXPECT_THAT(ConfineTo(H100(), {"7g.80gb", "1g.10gb"}).error().message, HasSubstr("do not fit"));
  EXPECT_FALSE(ConfineTo(H100(), {""}));
}

}  // namespace
}  // namespace gp
