#include "domain/cluster/event_traits.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gp {
namespace {

// Every alternative of the variant has a row, or this does not compile.
template <size_t... kIndex>
std::vector<unsigned> AllTraits(std::index_sequence<kIndex...>) {
  return {kTraitsOf<std::variant_alternative_t<kIndex, Event>>...};
}

TEST(EventTraits, EachEventHasARowOfKnownTraits) {
  const std::vector<unsigned> rows =
      AllTraits(std::make_index_sequence<std::variant_size_v<Event>>());
  EXPECT_EQ(rows.size(), std::variant_size_v<Event>);
  for (const unsigned row : rows)
    EXPECT_EQ(row & ~(kWakesPlanner | kChangesDesiredState | kChangesAccess | kLogged), 0u);
}

TEST(EventTraits, HasReadsTheRowOfTheEventThatIsHeld) {
  EXPECT_TRUE(Has(Event{NodeJoined{}}, kWakesPlanner));
  EXPECT_TRUE(Has(Event{NodeJoined{}}, kChangesDesiredState));
  EXPECT_FALSE(Has(Event{NodeJoined{}}, kChangesAccess));
  EXPECT_TRUE(Has(Event{TokenEnded{}}, kChangesAccess));
  EXPECT_FALSE(Has(Event{LeaseStarted{}}, kLogged));
  EXPECT_FALSE(Has(Event{ChangeNoted{}}, kWakesPlanner));
}

// A job waits until something lets it start: each of these must wake the planner.
TEST(EventTraits, WhatMayLetAJobStartWakesThePlanner) {
  for (const Event& event :
       {Event{LeaseEnded{}}, Event{JobEnded{}}, Event{NodeJoined{}}, Event{NodeReturned{}},
        Event{GpuConditionChanged{}}, Event{GpuMoved{}}, Event{QueueDeleted{}},
        Event{ReservationEnded{}}, Event{JobReleased{}}, Event{JobSubmitted{}}})
    EXPECT_TRUE(Has(event, kWakesPlanner)) << event.index();
}

}  // namespace
}  // namespace gp
