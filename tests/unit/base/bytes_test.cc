#include "base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace gp {
namespace {

constexpr int64_t kSigned[] = {0,
                               1,
                               -1,
                               63,
                               64,
                               -64,
                               -65,
                               300,
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};
constexpr uint64_t kUnsigned[] = {0, 1, 127, 128, 16'383, 16'384, ~uint64_t{0}};

TEST(Bytes, NumbersAndStringsRoundTrip) {
  ByteWriter writer;
  for (const int64_t value : kSigned) writer.I64(value);
  for (const uint64_t value : kUnsigned) writer.U64(value);
  writer.String("");
  writer.String(std::string("a\0b", 3));
  const std::string bytes = writer.Take();
  ByteReader reader(bytes);
  for (const int64_t value : kSigned) EXPECT_EQ(reader.I64(), value);
  for (const uint64_t value : kUnsigned) EXPECT_EQ(reader.U64(), value);
  EXPECT_EQ(reader.String(), "");
  EXPECT_EQ(reader.String(), std::string("a\0b", 3));
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
}

TEST(Bytes, SmallNumbersAreShort) {
  ByteWriter writer;
  writer.U64(127);
  writer.I64(-64);
  EXPECT_EQ(writer.bytes(), std::string("\x7f\x7f"));
}

TEST(Bytes, ReadingPastTheEndYieldsZerosAndIsNoted) {
  ByteReader reader("");
  EXPECT_EQ(reader.U64(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.String(), "");
}

TEST(Bytes, ANumberThatDoesNotEnd) {
  ByteReader reader("\x80\x80");
  EXPECT_EQ(reader.U64(), 0u);
  EXPECT_FALSE(reader.ok());
  const std::string eleven(11, '\xff');
  ByteReader long_reader(eleven);
  EXPECT_EQ(long_reader.U64(), 0u);
  EXPECT_FALSE(long_reader.ok());
}

TEST(Bytes, AStringLongerThanItsInput) {
  ByteReader reader(
      "\x05"
      "ab");
  EXPECT_EQ(reader.String(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, AfterTheFirstErrorNothingIsRead) {
  ByteReader reader(
      "\x05"
      "ab");
  (void)reader.String();
  EXPECT_EQ(reader.U64(), 0u);
  EXPECT_EQ(reader.I64(), 0);
  ByteReader marked("\x01");
  marked.MarkBad();
  EXPECT_EQ(marked.U64(), 0u);
}

TEST(Bytes, RemainingCountsWhatIsLeft) {
  ByteReader reader("\x01\x02\x03");
  (void)reader.U64();
  EXPECT_EQ(reader.Remaining(), 2u);
  EXPECT_FALSE(reader.AtEnd());
}

}  // namespace
}  // namespace gp
