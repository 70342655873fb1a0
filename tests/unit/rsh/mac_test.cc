#include "rsh/mac.h"

#include <gtest/gtest.h>

namespace gp::rsh {
namespace {

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    text += digits;
  }
  return text;
}

// RFC 4231, cases 1, 2 and 6.
TEST(RshMac, IsHmacSha256) {
  EXPECT_EQ(Hex(Mac(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(Hex(Mac("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      Hex(Mac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(RshMac, EqualMeansAllBytes) {
  EXPECT_TRUE(AreEqual("abc", "abc"));
  EXPECT_FALSE(AreEqual("abc", "abd"));
  EXPECT_FALSE(AreEqual("abc", "ab"));
  EXPECT_TRUE(AreEqual("", ""));
}

TEST(RshMac, NoncesDiffer) {
  EXPECT_EQ(Nonce().size(), kMacBytes);
  EXPECT_NE(Nonce(), Nonce());
}

}  // namespace
}  // namespace gp::rsh
