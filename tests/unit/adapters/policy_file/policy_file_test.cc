#include "adapters/inbound/policy_file/policy_file.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(PolicyFile, ChangesWhatItNamesAndNothingElse) {
  const auto change = DecodePolicy("p.yaml", "min_run: 90s\nclass_floor: 10\nage_after: 2h\n");
  ASSERT_TRUE(change) << change.error().message;
  Policy policy;
  (*change)(policy);
  EXPECT_EQ(policy.min_run, Duration::Seconds(90));
  EXPECT_EQ(policy.class_floor, 10);
  EXPECT_EQ(policy.age_after, Duration::Minutes(120));
  EXPECT_EQ(policy.reserve_after, Policy().reserve_after);
}

TEST(PolicyFile, EveryNameIsKnown) {
  for (const std::string& name : PolicyNames()) {
    const bool is_count = name == "faults_max" || name == "class_floor" || name == "moves_per_hour";
    EXPECT_TRUE(DecodePolicy("p.yaml", name + (is_count ? ": 7" : ": 7m"))) << name;
  }
}

TEST(PolicyFile, SaysWhereItIsWrong) {
  const std::pair<const char*, const char*> bad[] = {
      {"min_rum: 5m\n", "p.yaml:1:1: there is no \"min_rum\" in a policy; did you mean \"min_run\"?"},
      {"min_run: 5m\nclass_floor: 101\n", "p.yaml:2:14: class_floor: "},
      {"min_run: 5\n", "p.yaml:1:10: min_run: \"5\" has no unit"},
      {"min_run: [5m]\n", "p.yaml:1:10: min_run: "},
      {"- min_run\n", "a policy is a map"},
      {"min_run: 5m\nmin_run: 6m\n", "min_run"},
      {"a: 1\nb: 2\n", "p.yaml:2:1: "},
  };
  for (const auto& [text, said] : bad) {
    const auto change = DecodePolicy("p.yaml", text);
    ASSERT_FALSE(change) << text;
    EXPECT_NE(change.error().message.find(said), std::string::npos) << change.error().message;
  }
  EXPECT_EQ(ReadPolicyFile("/nowhere/p.yaml").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadPolicyFile("/proc").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadPolicyFile("/dev/zero").error().code, ErrorCode::kInvalidArgument) << "it has no end";
}

}  // namespace
}  // namespace gp
