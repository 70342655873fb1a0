#include "supervisor/records/record_fields.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(RecordFields, TextsComeBackAndWhatFollowsIsUntouched) {
  const std::vector<std::string> lists[] = {
      {}, {""}, {"", ""}, {"a", std::string("b\0c", 3), std::string(70'000, 'x')}};
  for (const std::vector<std::string>& texts : lists) {
    ByteWriter writer;
    WriteTexts(writer, texts);
    writer.U64(42);
    ByteReader reader(writer.bytes());
    EXPECT_EQ(ReadTexts(reader), texts);
    EXPECT_EQ(reader.U64(), 42u);
    EXPECT_TRUE(reader.ok());
  }
}

TEST(RecordFields, ACountThatCannotBeTrueReadsNothing) {
  for (const uint64_t count : {uint64_t{3}, uint64_t{1} << 32, UINT64_MAX}) {
    ByteWriter writer;
    writer.U64(count);
    writer.String("a");  // two bytes: at most two texts
    ByteReader reader(writer.bytes());
    EXPECT_TRUE(ReadTexts(reader).empty()) << count;
    EXPECT_FALSE(reader.ok()) << count;
  }
}

TEST(RecordFields, ATextThatIsCutOffMakesTheReaderBad) {
  ByteWriter writer;
  WriteTexts(writer, {"first", "second"});
  ByteReader reader(std::string_view(writer.bytes()).substr(0, writer.bytes().size() - 1));
  const std::vector<std::string> texts = ReadTexts(reader);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(texts.front(), "first");
}

}  // namespace
}  // namespace gp
