#include <gtest/gtest.h>

#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

constexpr Instant kNow{1'700'000'000'000'000'000};

GpuTrouble ErrorsOf(const std::vector<std::string>& users, int specs) {
  GpuTrouble trouble;
  uint64_t spec = 0;
  for (const std::string& user : users) {
    for (int i = 0; i < specs; ++i) trouble.errors.push_back({31, user, ++spec, kNow});
  }
  return trouble;
}

TEST(Suspects, TakeManyUsers) {
  const State state;
  EXPECT_FALSE(IsSuspicious(state, {}, ErrorsOf({"ana", "bob"}, 3), 31, kNow));
  EXPECT_FALSE(IsSuspicious(state, {}, ErrorsOf({"ana", "bob", "cem"}, 1), 31, kNow));
  EXPECT_TRUE(IsSuspicious(state, {}, ErrorsOf({"ana", "bob", "cem"}, 3), 31, kNow));
}

TEST(Suspects, TakeErrorsOfOneKindAndLately) {
  const State state;
  const GpuTrouble trouble = ErrorsOf({"ana", "bob", "cem"}, 3);
  EXPECT_FALSE(IsSuspicious(state, {}, trouble, 13, kNow));
  EXPECT_FALSE(IsSuspicious(state, {}, trouble, 31,
                            kNow + state.policy.faults.error_window + Duration::Seconds(1)));
}

}  // namespace
}  // namespace gp
