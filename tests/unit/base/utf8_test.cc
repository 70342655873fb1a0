#include "base/utf8.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Utf8, OneToFourBytesAreACharacter) {
  const std::pair<const char*, char32_t> characters[] = {
      {"a", U'a'}, {"\xc3\xa9", 0xe9}, {"\xe2\x82\xac", 0x20ac}, {"\xf0\x9f\x9a\x80", 0x1f680}};
  for (const auto& [text, value] : characters) {
    const auto character = DecodeUtf8(text);
    ASSERT_TRUE(character) << text;
    EXPECT_EQ(character->value, value);
    EXPECT_EQ(character->bytes, std::string_view(text).size());
  }
}

TEST(Utf8, WhatTheStandardForbidsIsNone) {
  for (const char* text : {"\xff", "\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xe2\x82", "\xc3("})
    EXPECT_FALSE(IsUtf8(text)) << text;
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_EQ(CountCharacters("\xc3\xa9\xff"), 2u);
}

TEST(Utf8, CharactersThatHideTextAreDeceptive) {
  for (const char32_t character : {0x0, 0x1b, 0x7f, 0x85, 0x202e, 0x2066, 0xfeff})
    EXPECT_TRUE(IsDeceptive(character)) << static_cast<uint32_t>(character);
  for (const char32_t character : {0x9, 0xa, 0x41, 0xe9, 0x1f680})
    EXPECT_FALSE(IsDeceptive(character)) << static_cast<uint32_t>(character);
}

}  // namespace
}  // namespace gp
