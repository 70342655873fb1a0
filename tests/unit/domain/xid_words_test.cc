#include "domain/faults/xid_words.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(XidWords, EachWordMeansOneThing) {
  const std::pair<const char*, TenantAction> jobs[] = {
      {"none", TenantAction::kNone},
      {"note", TenantAction::kNote},
      {"forgive", TenantAction::kForgive},
      {"named", TenantAction::kRestartNamed},
      {"linked", TenantAction::kRestartLinked},
      {"all", TenantAction::kRestartAll},
  };
  for (const auto& [word, action] : jobs) {
    const auto rule = XidRuleFrom(word, "none");
    ASSERT_TRUE(rule) << word;
    EXPECT_EQ(*rule, (XidRule{action, GpuRemedy::kNone, false, false, false})) << word;
  }
  const std::pair<const char*, XidRule> gpus[] = {
      {"count", {TenantAction::kNone, GpuRemedy::kNone, true, false, false}},
      {"watch", {TenantAction::kNone, GpuRemedy::kWatch, false, false, false}},
      {"reset-when-idle", {TenantAction::kNone, GpuRemedy::kResetWhenIdle, false, false, false}},
      {"reset", {TenantAction::kNone, GpuRemedy::kReset, false, false, false}},
      {"operator", {TenantAction::kNone, GpuRemedy::kOperator, false, false, false}},
      {"operator-if-repeated", {TenantAction::kNone, GpuRemedy::kOperator, false, true, false}},
      {"reboot", {TenantAction::kNone, GpuRemedy::kReboot, false, false, false}},
      {"text", {TenantAction::kNone, GpuRemedy::kNone, false, false, true}},
  };
  for (const auto& [word, expected] : gpus) {
    const auto rule = XidRuleFrom(expected.by_text ? "text" : "none", word);
    ASSERT_TRUE(rule) << word;
    EXPECT_EQ(*rule, expected) << word;
  }
}

TEST(XidWords, AreTheWordsOfTheirRule) {
  for (const auto& [job, gpu] :
       {std::pair("none", "none"), std::pair("linked", "reset-when-idle"),
        std::pair("all", "operator-if-repeated"), std::pair("text", "text")}) {
    const auto rule = XidRuleFrom(job, gpu);
    ASSERT_TRUE(rule) << job << " " << gpu;
    EXPECT_EQ(WordsOf(*rule).job, job);
    EXPECT_EQ(WordsOf(*rule).gpu, gpu);
  }
  EXPECT_FALSE(XidRuleFrom("text", "none"));
  EXPECT_FALSE(XidRuleFrom("none", "text"));
  EXPECT_FALSE(XidRuleFrom("some", "none"));
  EXPECT_FALSE(XidRuleFrom("none", "some"));
}

}  // namespace
}  // namespace gp
