#include "lib/secrets/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

const std::string kKey(kSealKeyBytes, 'k');

TEST(Seal, OpensUnderItsKeyAndPlaceAlone) {
  for (const std::string& bytes :
       {std::string(), std::string("value"), std::string(100'000, 'x')}) {
    const auto sealed = Seal(kKey, "place", bytes);
    ASSERT_TRUE(sealed);
    EXPECT_EQ(Unseal(kKey, "place", *sealed), Result<std::string>(bytes));
    EXPECT_FALSE(Unseal(std::string(kSealKeyBytes, 'j'), "place", *sealed));
    EXPECT_FALSE(Unseal(kKey, "elsewhere", *sealed));
  }
}

TEST(Seal, ShowsNothingAndIsNeverTheSame) {
  const std::string first = Seal(kKey, "place", "a-long-secret").value();
  EXPECT_THAT(first, testing::Not(testing::HasSubstr("secret")));
  EXPECT_NE(Seal(kKey, "place", "a-long-secret"), Result<std::string>(first));
}

TEST(Seal, NoticesEveryChange) {
  const std::string sealed = Seal(kKey, "place", "value").value();
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string damaged = sealed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    const auto opened = Unseal(kKey, "place", damaged);
    ASSERT_FALSE(opened) << i;
    EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(Unseal(kKey, "place", sealed.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace gp
