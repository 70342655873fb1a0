#include "cmd/sharing/relay_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infrastructure/host_name.h"

namespace gp {
namespace {

AdvertisedAddresses AddressesOf(const std::string& grpc, const std::string& http,
                                const std::string& advertise) {
  ControllerConfig config;
  config.listen.grpc = grpc;
  config.listen.http = http;
  config.sharing.advertise = advertise;
  return RelayPart(config).Addresses();
}

TEST(RelayPart, OthersReachItWhereItListensOrByItsName) {
  EXPECT_EQ(AddressesOf("10.0.0.1:7070", "", ""), (AdvertisedAddresses{"10.0.0.1:7070", ""}));
  EXPECT_EQ(AddressesOf("[fd00::1]:7070", "", "").grpc, "[fd00::1]:7070");
  for (const std::string any : {"0.0.0.0:7070", "[::]:7070", ":7070"})
    EXPECT_EQ(AddressesOf(any, "", "").grpc, HostName() + ":7070") << any;
  EXPECT_EQ(AddressesOf("10.0.0.1:7070", "0.0.0.0:8443", "c1.site"),
            (AdvertisedAddresses{"c1.site:7070", "c1.site:8443"}));
  EXPECT_EQ(AddressesOf("[::]:7070", "", "fd00::1").grpc, "[fd00::1]:7070");
}

TEST(RelayPart, ADoorOfThisMachineAloneIsNoAddressForOthers) {
  EXPECT_EQ(AddressesOf("0.0.0.0:7070", "127.0.0.1:8080", "c1.site"),
            (AdvertisedAddresses{"c1.site:7070", ""}));
  EXPECT_EQ(AddressesOf("127.0.0.1:7070", "", "").grpc, "127.0.0.1:7070")
      << "several controllers of one machine reach it";
}

TEST(RelayPart, WithoutAStoreThereAreNoDoors) {
  ControllerConfig config;
  config.listen.grpc = "127.0.0.1:0";
  RelayPart part(config);
  ASSERT_TRUE(part.Start());
  EXPECT_EQ(config.listen.grpc, "127.0.0.1:0");
  EXPECT_EQ(part.Doors(), "");
}

TEST(RelayPart, APortThatItGotIsTheLeadersToo) {
  ControllerConfig config;
  config.sharing.store = "etcd:http://127.0.0.1:1";
  config.listen.grpc = "127.0.0.1:0";
  RelayPart part(config);
  ASSERT_TRUE(part.Start());
  EXPECT_THAT(config.listen.grpc, testing::MatchesRegex("127.0.0.1:[1-9][0-9]*"));
  EXPECT_THAT(part.Doors(), testing::HasSubstr("gRPC at port "));
  ControllerConfig other = config;
  RelayPart second(other);
  const Status taken = second.Start();
  ASSERT_FALSE(taken) << "it fails before it could lead";
  part.Close();
  EXPECT_TRUE(second.Start());
}

}  // namespace
}  // namespace gp
