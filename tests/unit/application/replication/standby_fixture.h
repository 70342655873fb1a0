#pragma once

// Two controllers over one store; the first one leads.

#include <gtest/gtest.h>

#include "tests/unit/application/replication/faulty_store.h"
#include "tests/unit/application/replication/seat.h"

namespace gp {

class StandbyTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
    ASSERT_TRUE(first.Lead());
  }
  // Time passes while the second one follows the first.
  void Live(Duration by) {
    for (Duration passed; passed < by; passed = passed + Duration::Milliseconds(100)) {
      first.clock.Advance(Duration::Milliseconds(100));
      second.clock.Advance(Duration::Milliseconds(100));
      first.loop->Turn();
      ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
    }
  }

  FaultyStore store;
  Seat first{store, "first"};
  Seat second{store, "second"};
};

}  // namespace gp
