#include "domain/placement/placement_warning.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(PlacementWarning, StandsAtTheEndOfTheNote) {
  EXPECT_EQ(WarningIn("same socket: n1[0,4]" + WarningText("crosses NUMA nodes")),
            "crosses NUMA nodes");
  EXPECT_EQ(WarningIn("cross socket, NVLink x18: n1[0-7]; best of 1 sets, 1 node fits; warning: "
                      "crosses sockets"),
            "crosses sockets");
  EXPECT_EQ(WarningIn("same NUMA node: n1[0]; best of 8 sets, 1 node fits"), "");
  EXPECT_EQ(WarningIn(""), "");
}

}  // namespace
}  // namespace gp
