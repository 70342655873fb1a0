#include "base/digest.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gp {
namespace {

// The check value of CRC-32C, and the vectors of RFC 3720, B.4.
TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, GoesOnFromItsSeed) { EXPECT_EQ(Crc32c("6789", Crc32c("12345")), Crc32c("123456789")); }

TEST(Crc32c, SeesEachFlippedBit) {
  const std::string text = "a record of the journal";
  for (size_t i = 0; i < text.size() * 8; ++i) {
    std::string damaged = text;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    EXPECT_NE(Crc32c(damaged), Crc32c(text));
  }
}

TEST(Digest64, IsStableAndSpreads) {
  EXPECT_EQ(Digest64("a"), Digest64("a"));
  EXPECT_NE(Digest64("a"), Digest64("a", 1));
  std::set<uint64_t> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(Digest64(std::to_string(i)));
  EXPECT_EQ(seen.size(), 10'000u);
}

}  // namespace
}  // namespace gp
