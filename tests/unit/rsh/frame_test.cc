#include "rsh/frame.h"

#include <gtest/gtest.h>

namespace gp::rsh {
namespace {

TEST(RshFrame, ComesOutAsItWentInWhereverItIsCut) {
  const std::string bytes = std::string("a\0b\n", 4) + std::string(70'000, 'z');
  const std::string sent = Encode(Kind::kOutput, bytes) + Encode(Kind::kExit, "\x07");
  for (const size_t cut : {0uz, 1uz, 4uz, 5uz, 6uz, 70'008uz, 70'009uz, sent.size()}) {
    std::string buffer = sent.substr(0, cut);
    std::optional<Frame> first = TakeFrame(buffer);
    EXPECT_EQ(first.has_value(), cut >= 70'009) << cut;
    buffer += sent.substr(cut);
    if (!first) first = TakeFrame(buffer);
    ASSERT_TRUE(first.has_value()) << cut;
    EXPECT_EQ(first->kind, Kind::kOutput);
    EXPECT_TRUE(first->bytes == bytes);
    const std::optional<Frame> second = TakeFrame(buffer);
    ASSERT_TRUE(second.has_value()) << cut;
    EXPECT_EQ(second->kind, Kind::kExit);
    EXPECT_EQ(second->bytes, "\x07");
    EXPECT_TRUE(buffer.empty());
  }
}

TEST(RshFrame, TooLongIsKnownFromItsHeader) {
  std::string buffer = Encode(Kind::kOutput, std::string(kFrameBytesMax, 'x'));
  EXPECT_FALSE(IsTooLong(buffer));
  EXPECT_TRUE(TakeFrame(buffer).has_value());
  const std::string header("o\x01\x00\x10\x00", 5);  // one byte more than the most
  EXPECT_TRUE(IsTooLong(header));
  EXPECT_FALSE(IsTooLong(header.substr(0, 4)));
  std::string endless = header + std::string(kFrameBytesMax + 10, 'x');
  EXPECT_FALSE(TakeFrame(endless).has_value());
}

}  // namespace
}  // namespace gp::rsh
