#include "lib/yaml/scalar.h"

#include <gtest/gtest.h>

#include "lib/yaml/diagnostic.h"

#include "base/text.h"

namespace gp {
namespace {

// The one value in the text; it must be YAML.
YamlNode NodeOf(const std::string& text) {
  static SourceText source;
  source = {"a.yaml", text};
  Report report;
  std::vector<YamlNode> documents = ReadYaml(source, source.text, report);
  if (documents.empty()) return {};
  return std::move(documents.front());
}

Result<int> Dozens(std::string_view text) {
  if (text == "dozen") return 12;
  return Fail(InvalidArgument("there is only the word dozen"));
}

Read<int64_t> ReadDozens(const std::string& text) {
  return ReadCountOrWord(NodeOf(text), 0, 100, "dozen or a number", Dozens);
}

TEST(Scalar, ACountOrAWordForOne) {
  EXPECT_EQ(ReadDozens("dozen").value(), 12);
  EXPECT_EQ(ReadDozens("0").value(), 0);
  EXPECT_EQ(ReadDozens("100").value(), 100);
  EXPECT_EQ(ReadDozens("101").error().code, FileCode::kOutOfRange);
  EXPECT_EQ(ReadDozens("1.5").error().code, FileCode::kBadNumber);
  EXPECT_EQ(ReadDozens("score").error().code, FileCode::kBadWord);
  EXPECT_EQ(ReadDozens("score").error().message, "there is only the word dozen");
  EXPECT_EQ(ReadDozens("[dozen]").error().code, FileCode::kWrongType);
  EXPECT_EQ(ReadDozens("[dozen]").error().message, "must be dozen or a number, not a list");
}

TEST(Scalar, NumbersThatReadersDisagreeAboutAreRefused) {
  for (const char* text : {"010", "0x10", "1e3", "1_000", "+1", "1.0"})
    EXPECT_EQ(ReadCount(NodeOf(text), 0, 10'000).error().code, FileCode::kBadNumber) << text;
  EXPECT_EQ(ReadCount(NodeOf("\"1\""), 0, 9).error().code, FileCode::kWrongType);
  EXPECT_EQ(ReadCount(NodeOf("9"), 0, 9).value(), 9);
  EXPECT_EQ(ReadCount(NodeOf("10"), 0, 9).error().code, FileCode::kOutOfRange);
  EXPECT_EQ(ReadCount(NodeOf("-1"), 0, 9).error().code, FileCode::kOutOfRange);
}

TEST(Scalar, OnlyTrueAndFalseAreBooleans) {
  EXPECT_EQ(ReadBool(NodeOf("true")).value(), 1);
  EXPECT_EQ(ReadBool(NodeOf("false")).value(), 0);
  for (const char* text : {"yes", "no", "on", "off", "True", "1", "\"true\""})
    EXPECT_EQ(ReadBool(NodeOf(text)).error().code, FileCode::kBadWord) << text;
}

TEST(Scalar, TextThatLooksLikeANumberNeedsQuotes) {
  EXPECT_EQ(ReadText(NodeOf("\"010\"")).value(), "010");
  EXPECT_EQ(ReadText(NodeOf("010")).error().code, FileCode::kWrongType);
  EXPECT_EQ(ReadVerbatim(NodeOf("010")).value(), "010");
}

TEST(FileCode, HasItsNumberInItsText) {
  EXPECT_EQ(CodeText(FileCode::kNotText), "GP1001");
  EXPECT_EQ(CodeText(FileCode::kUnknownKey), "GP1007");
  EXPECT_EQ(CodeText(FileCode::kContradiction), "GP1018");
}

TEST(DurationText, IsReadBackAsItWas) {
  for (const int64_t ns : {int64_t{0}, int64_t{1'000}, int64_t{1'500'000}, int64_t{1'500'000'000},
                           int64_t{95'400'000'000'000}, int64_t{90} * 86'400'000'000'000}) {
    const std::string text = DurationText(Duration{ns});
    EXPECT_EQ(ParseDuration(text)->ns, ns) << text;
  }
  EXPECT_EQ(DurationText(Duration{}), "0s");
  EXPECT_EQ(DurationText(Duration::Minutes(26 * 60 + 30)), "1d2h30m");
  EXPECT_EQ(DurationText(Duration::Milliseconds(1'500)), "1s500ms");
  EXPECT_EQ(DurationText(Duration{1'001'000}), "1.001ms");
}

}  // namespace
}  // namespace gp
