#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace gp {
namespace {

TEST(Base32, KnownValues) {
  EXPECT_EQ(ToBase32(0), "0");
  EXPECT_EQ(ToBase32(1234), "16j");
  EXPECT_EQ(ToBase32(1, 4), "0001");
  EXPECT_EQ(ToBase32(~uint64_t{0}), "fzzzzzzzzzzzz");
}

TEST(Base32, RoundTripsAndForgives) {
  for (uint64_t value = 0; value < 5'000; value += 7)
    EXPECT_EQ(FromBase32(ToBase32(value, 4)), value);
  EXPECT_EQ(FromBase32(ToBase32(~uint64_t{0})), ~uint64_t{0});
  EXPECT_EQ(FromBase32("1oO"), FromBase32("100"));
  EXPECT_EQ(FromBase32("iIlL"), FromBase32("1111"));
  EXPECT_EQ(FromBase32("16J"), 1234u);
}

TEST(Base32, RefusesWhatIsNone) {
  for (const std::string_view text : {"", "u", "1-", " 1", "gzzzzzzzzzzzz", "00000000000000"}) {
    EXPECT_EQ(FromBase32(text), std::nullopt) << text;
  }
}

TEST(EditDistance, CountsChanges) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("gpus", "gpu"), 1);
  EXPECT_EQ(EditDistance("tsl", "tls"), 1) << "two characters in the wrong order";
  EXPECT_EQ(EditDistance("nmae", "name"), 1);
  EXPECT_EQ(EditDistance("ca", "abc"), 3);
}

TEST(Nearest, OnlyWhatIsNear) {
  const std::vector<std::string> words = {"status", "submit", "cancel"};
  EXPECT_EQ(Nearest("staus", words), "status");
  EXPECT_EQ(Nearest("submti", words), "submit");
  EXPECT_EQ(Nearest("replay", words), std::nullopt);
  EXPECT_EQ(Nearest("", words), std::nullopt);
  EXPECT_EQ(Nearest(std::string(65, 's'), words), std::nullopt);
}

TEST(NaturalLess, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(NaturalLess("n2", "n10"));
  EXPECT_FALSE(NaturalLess("n10", "n2"));
  EXPECT_TRUE(NaturalLess("rack1-n9", "rack2-n1"));
  EXPECT_FALSE(NaturalLess("n1", "n1"));
  EXPECT_TRUE(NaturalLess("", "n1"));
}

TEST(ToBase64, KnownValues) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {{"\0\xff\xfe", 3}, "AP/+"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(ToBase64(bytes), text);
}

TEST(IsHostName, HasNothingThatSeparates) {
  for (const std::string good : {"n1", "gpu-7.rack_2", "10.0.0.1", "N", "_"})
    EXPECT_TRUE(IsHostName(good)) << good;
  for (const std::string bad : {"", "n 1", "n1\n", "a/b", "a,b", "::1", "\xc3\xa9"})
    EXPECT_FALSE(IsHostName(bad)) << bad;
  EXPECT_TRUE(IsHostName(std::string(253, 'a')));
  EXPECT_FALSE(IsHostName(std::string(254, 'a')));
  EXPECT_FALSE(IsHostName(std::string_view("n1\0", 3)));
}

TEST(SplitAndJoin, AreInverse) {
  EXPECT_EQ(Split("a,b,,c", ',').size(), 4u);
  EXPECT_EQ(Split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(Join(Split("a,b,,c", ','), ","), "a,b,,c");
  EXPECT_EQ(Join({}, ","), "");
}

TEST(ParseCount, PlainNumbersOnly) {
  EXPECT_EQ(ParseCount("0"), 0);
  EXPECT_EQ(ParseCount("120"), 120);
  for (const std::string_view text :
       {"", "-1", "+1", "01", "1.0", "1 ", "0x1", "9999999999999999999"}) {
    EXPECT_FALSE(ParseCount(text).has_value()) << text;
  }
}

TEST(ParseBytes, UnitsOfBothKinds) {
  EXPECT_EQ(ParseBytes("512"), 512);
  EXPECT_EQ(ParseBytes("80GB"), 80'000'000'000);
  EXPECT_EQ(ParseBytes("80GiB"), int64_t{80} << 30);
  EXPECT_EQ(ParseBytes("1.5KiB"), 1536);
  for (const std::string_view text :
       {"", "GB", "-1GB", "1 GB", "1gb", "9000000TiB", "1.2345GB", "1.GB"}) {
    EXPECT_FALSE(ParseBytes(text).has_value()) << text;
  }
}

TEST(ParseDuration, UnitsAreNeeded) {
  EXPECT_EQ(ParseDuration("90s"), Duration::Seconds(90));
  EXPECT_EQ(ParseDuration("1d12h"), Duration::Minutes(36 * 60));
  EXPECT_EQ(ParseDuration("1.5h"), Duration::Minutes(90));
  EXPECT_EQ(ParseDuration("250ms"), Duration::Milliseconds(250));
  for (const std::string_view text : {"", "90", "s", "-1s", "1y", "1h30", "1 h", "999999999d"}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
}

TEST(BytesToText, ThreeDigitsOrSo) {
  EXPECT_EQ(BytesToText(0), "0 B");
  EXPECT_EQ(BytesToText(1023), "1023 B");
  EXPECT_EQ(BytesToText(1024), "1.0 KiB");
  EXPECT_EQ(BytesToText(int64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(BytesToText(-2048), "-2.0 KiB");
  EXPECT_EQ(BytesToText(std::numeric_limits<int64_t>::max()), "8191.9 PiB");
}

TEST(Printable, WhatIsNoUtf8IsEscaped) {
  EXPECT_EQ(Printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(Printable("\xc3"), "\\xc3") << "the second byte is missing";
  EXPECT_EQ(Printable("\xe2\x82g"), "\\xe2\\x82g");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf") << "longer than it may be";
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "CSI in one character";
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "evil"),
            "\\xe2\\x80\\xaeevil")
      << "written from the right";
  EXPECT_EQ(Printable("\xc2\xa0€🙂"), "\xc2\xa0€🙂");
}

TEST(Printable, ControlCharactersAndLengthAreTamed) {
  EXPECT_EQ(Printable("ab\x1b[31m\n"), "ab\\x1b[31m\\x0a");
  EXPECT_EQ(Printable("\x7f"), "\\x7f");
  EXPECT_EQ(Printable("für"), "für");
  EXPECT_EQ(Printable("abcdef", 3), "abc…");
  EXPECT_EQ(Printable("abc", 3), "abc");
  EXPECT_EQ(Printable("aü", 2), "a…") << "no half character";
}

}  // namespace
}  // namespace gp
