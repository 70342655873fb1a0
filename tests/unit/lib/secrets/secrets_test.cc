#include "lib/secrets/secrets.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace gp {
namespace {

std::string Hex(const std::string& bytes) {
  return ToHex(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

TEST(Secrets, AreNewEachTime) {
  const auto one = NewSecret(), two = NewSecret();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->size(), 64U);
  EXPECT_NE(*one, *two);
}

// Known answers: RFC 4231, test cases 1, 2 and 6.
TEST(Secrets, HmacIsAsItsStandardSays) {
  EXPECT_EQ(Hex(HmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Hex(HmacSha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secrets, Base64IsReadAsItWasWritten) {
  for (const std::string& bytes :
       {std::string(), std::string("f"), std::string("fo"), std::string("foo"),
        std::string("\0\xff\0", 3), std::string(40, '\x80')}) {
    const auto read = FromBase64(ToBase64(bytes));
    ASSERT_TRUE(read) << Hex(bytes);
    EXPECT_EQ(*read, bytes);
  }
  for (const char* text : {"Zg", "Zg=", "Z===", "Zg==Zg==", "=g==", "Zm9v\n", "Zm9-", "Zm 9v"})
    EXPECT_FALSE(FromBase64(text)) << text;
}

}  // namespace
}  // namespace gp
