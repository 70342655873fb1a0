#include "adapters/outbound/grpc/controller_addresses.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(ControllerAddresses, StayUntilOneIsLeftAndBeginAgainAfterTheLast) {
  ControllerAddresses addresses({"a:1", "b:2", "c:3"});
  for (const char* address : {"a:1", "b:2", "c:3", "a:1"}) {
    EXPECT_EQ(addresses.Present(), address);
    EXPECT_EQ(addresses.Present(), address) << "asking changes nothing";
    addresses.Leave(address);
  }
}

TEST(ControllerAddresses, WhoComesLateLeavesNothing) {
  ControllerAddresses addresses({"a:1", "b:2", "c:3"});
  addresses.Leave("a:1");
  addresses.Leave("a:1");
  addresses.Leave("c:3");
  addresses.Leave("elsewhere:4");
  EXPECT_EQ(addresses.Present(), "b:2");
}

TEST(ControllerAddresses, OneStays) {
  ControllerAddresses addresses({"a:1"});
  EXPECT_FALSE(addresses.are_several());
  addresses.Leave("a:1");
  EXPECT_EQ(addresses.Present(), "a:1");
}

TEST(ControllerAddresses, AreNamedTogether) {
  EXPECT_EQ(ControllerAddresses({"a:1", "b:2"}).ToText(), "a:1, b:2");
}

}  // namespace
}  // namespace gp
