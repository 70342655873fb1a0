#include "cmd/connection/controller_authority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/tls/authority.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

// Whatever is taken for local is sent without encryption and without knowing the other side.
TEST(StaysHere, OnlySocketsAndLoopback) {
  for (const char* address :
       {"unix:/run/gpu-platform/control.sock", "127.0.0.1:7070", "127.1.2.3:7070",
        "127.255.255.255:1", "localhost:7070", "[::1]:7070", "127.0.0.1", "localhost"}) {
    EXPECT_TRUE(StaysHere(address)) << address;
  }
  for (const char* address :
       {"", ":7070", "10.0.0.1:7070", "128.0.0.1:7070", "126.255.255.255:7070", "0.0.0.0:7070",
        "1.127.0.0:7070", "[::]:7070", "[::2]:7070", "localhost.example.org:7070",
        "127.0.0.1.example.org:7070", "mylocalhost:7070", "127.0.0.1@host:7070", "host:127"}) {
    EXPECT_FALSE(StaysHere(address)) << address;
  }
}

TEST(ControllerAuthority, IsNeededAsSoonAsTheTrafficLeavesTheMachine) {
  EXPECT_EQ(*AuthorityFor("127.0.0.1:7070", ""), "");
  const auto authority = AuthorityFor("10.0.0.1:7070", "");
  ASSERT_FALSE(authority.has_value());
  EXPECT_EQ(authority.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(authority.error().message, HasSubstr("10.0.0.1:7070: the authority"));
}

TEST(ControllerAuthority, AFingerprintHas64HexadecimalDigits) {
  for (const std::string& digits : {std::string(), std::string(63, 'a'), std::string(65, 'a'),
                                    std::string(64, 'A'), std::string(63, 'a') + "g"}) {
    const auto authority = AuthorityFor("127.0.0.1:1", "sha256:" + digits);
    ASSERT_FALSE(authority.has_value()) << digits;
    EXPECT_EQ(authority.error().message,
              "an authority's fingerprint is sha256: and 64 hexadecimal digits");
  }
}

TEST(ControllerAuthority, AFileHasToHoldACertificate) {
  const Scratch scratch;
  const auto made = Authority::Make(Instant{1'700'000'000'000'000'000});
  ASSERT_TRUE(made.has_value());
  const std::string file = scratch.Write("authority.pem", made->certificate);
  EXPECT_EQ(*AuthorityFor("10.0.0.1:7070", file), made->certificate);
  EXPECT_EQ(*AuthorityFor("127.0.0.1:7070", file), made->certificate) << "asked for, so it is used";
  const auto damaged = AuthorityFor("10.0.0.1:7070", scratch.Write("notes.txt", "no certificate"));
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(damaged.error().message, HasSubstr(scratch.In("notes.txt")));
  EXPECT_EQ(AuthorityFor("10.0.0.1:7070", scratch.In("none")).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gp
