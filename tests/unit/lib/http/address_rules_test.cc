#include "lib/http/address_rules.h"

#include <gtest/gtest.h>

#include "lib/http/fetch.h"
#include "tests/unit/lib/http/loopback_server.h"

namespace gp {
namespace {

TEST(AddressRules, InnerAddressesAreKnownInEachForm) {
  for (const char* ip : {"127.0.0.1",
                         "127.9.9.9",
                         "0.0.0.0",
                         "0.1.2.3",
                         "10.0.0.1",
                         "172.16.0.1",
                         "172.31.255.255",
                         "192.168.1.1",
                         "169.254.169.254",
                         "100.64.0.1",
                         "100.127.255.255",
                         "224.0.0.1",
                         "255.255.255.255",
                         "168.63.129.16",
                         "::",
                         "::1",
                         "fe80::1",
                         "fe80::1%eth0",
                         "febf::1",
                         "fc00::1",
                         "fd00:ec2::254",
                         "ff02::1",
                         "::ffff:10.0.0.1",
                         "::ffff:a9fe:a9fe",
                         "::127.0.0.1",
                         "64:ff9b::169.254.169.254",
                         "2002:7f00:1::",
                         "2002:a9fe:a9fe::1",
                         "2001:0:1:2:3:4:5601:5601",
                         "",
                         "host",
                         "10.0.0",
                         "0x7f.1",
                         "1.2.3.4.5"})
    EXPECT_TRUE(IsInner(ip)) << ip;
  for (const char* ip :
       {"8.8.8.8", "172.32.0.1", "172.15.255.255", "100.63.0.1", "100.128.0.1", "169.253.0.1",
        "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"})
    EXPECT_FALSE(IsInner(ip)) << ip;
}

TEST(AddressRules, PrivateAddressesAreAllowedAndMetadataServicesAreNot) {
  const AddressRules rules;
  for (const char* ip : {"10.0.0.1", "192.168.1.1", "fd00::1", "8.8.8.8", "100.64.0.1"})
    EXPECT_TRUE(rules.Check(ip)) << ip;
  for (const char* ip :
       {"127.0.0.1", "169.254.169.254", "::1", "fe80::1%2", "0.0.0.0", "224.0.0.1",
        "::ffff:127.0.0.1", "100.100.100.200", "fd00:ec2::254", "x", "64:ff9b::a9fe:a9fe"}) {
    const Status checked = rules.Check(ip);
    ASSERT_FALSE(checked) << ip;
    EXPECT_EQ(checked.error().code, ErrorCode::kPermissionDenied);
    EXPECT_TRUE(checked.error().message.starts_with(ip)) << checked.error().message;
  }
  EXPECT_FALSE(rules.CheckPlain("10.0.0.1"));
  EXPECT_FALSE(rules.CheckPlain("8.8.8.8"));
}

TEST(AddressRules, WhatASiteListsIsAllowed) {
  const auto rules = AddressRules::Parse({"127.0.0.0/8", "10.1.0.0/17", "fe80::/64", "8.8.8.8"});
  ASSERT_TRUE(rules) << rules.error().message;
  for (const char* ip :
       {"127.0.0.1", "::ffff:127.0.0.1", "10.1.127.1", "fe80::2%eth0", "8.8.8.8"}) {
    EXPECT_TRUE(rules->Check(ip)) << ip;
    EXPECT_TRUE(rules->CheckPlain(ip)) << ip;
  }
  for (const char* ip : {"10.1.128.1", "10.2.0.1", "8.8.8.9", "fe80:1::1", "::1"})
    EXPECT_FALSE(rules->CheckPlain(ip)) << ip;
  EXPECT_FALSE(rules->Check("::1"));
  for (const char* text : {"", "10.1.0.0/33", "10.1.0.0/", "host", "fe80::/129", "1.2.3.4/-1",
                           "fe80::1%eth0", "10.1.0.0/1 "})
    EXPECT_FALSE(AddressRules::Parse({text})) << text;
  EXPECT_TRUE(AddressRules::Parse({"0.0.0.0/0"})->Check("127.0.0.1"));
  EXPECT_FALSE(AddressRules::Parse({"0.0.0.0/0"})->Check("::1"));
}

TEST(AddressRules, NoByteIsSentToARefusedAddress) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("200 OK", "", "x");
  });
  std::vector<std::string> asked;
  FetchOptions options;
  options.may_connect = [&](const std::string& ip) -> Status {
    asked.push_back(ip);
    return AddressRules().Check(ip);
  };
  WebRequest request;
  request.to = server.Address();
  const FetchResult refused = Fetch(request, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(refused.error().message.contains("an address of this host"))
      << refused.error().message;
  EXPECT_FALSE(refused.error().may_be_received);
  EXPECT_EQ(asked, std::vector<std::string>{"127.0.0.1"});
  EXPECT_EQ(server.connections(), 0);
}

TEST(AddressRules, RedirectsAreAskedForToo) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("302 Found", "location: http://169.254.169.254/latest/meta-data\r\n", "");
  });
  FetchOptions options;
  options.redirects_max = 3;
  const auto rules = AddressRules::Parse({"127.0.0.1"});
  options.may_connect = [&](const std::string& ip) { return rules->Check(ip); };
  WebRequest request;
  request.to = server.Address();
  const FetchResult refused = Fetch(request, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(refused.error().message.contains("169.254.169.254")) << refused.error().message;
}

}  // namespace
}  // namespace gp
