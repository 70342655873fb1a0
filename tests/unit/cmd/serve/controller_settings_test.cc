#include "cmd/serve/controller_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/serve/policy_with.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

TEST(ControllerSettings, FlagsComeBeforeThePolicyFile) {
  const Scratch scratch;
  PolicyConfig config;
  config.file = scratch.Write("policy.yaml", "min_run: 3m\nmoves_per_hour: 7\n");
  EXPECT_EQ(ReadPolicy(config)->min_run, Duration::Minutes(3));
  EXPECT_EQ(ReadPolicy(config)->moves_per_hour, 7);
  config.min_run = Duration{};
  config.lease_time = Duration::Seconds(42);
  EXPECT_EQ(ReadPolicy(config)->min_run, Duration{});
  EXPECT_EQ(ReadPolicy(config)->lease_time, Duration::Seconds(42));
  EXPECT_EQ(ReadPolicy(config)->moves_per_hour, 7);
}

TEST(ControllerSettings, WithoutAFileItIsTheBuiltInPolicy) {
  const auto policy = ReadPolicy(PolicyConfig{});
  ASSERT_TRUE(policy.has_value());
  EXPECT_EQ(policy->min_run, BuiltInPolicy().min_run);
  EXPECT_FALSE(policy->faults.xids.empty()) << "with the rules of the catalogue";
}

TEST(ControllerSettings, AnErrorOfTheFileNamesItAndTheLine) {
  const Scratch scratch;
  PolicyConfig config;
  config.file = scratch.Write("policy.yaml", "moves_per_hour: 7\nmin_rum: 3m\n");
  EXPECT_THAT(ReadPolicy(config).error().message, HasSubstr("policy.yaml:2:1"));
  config.file = scratch.In("none.yaml");
  EXPECT_EQ(ReadPolicy(config).error().code, ErrorCode::kNotFound);
}

TEST(ControllerSettings, WhatChangedIsSaidWhenFilesAreReadAgain) {
  const Scratch scratch;
  ControllerConfig config;
  config.policy.file = scratch.Write("policy.yaml", "moves_per_hour: 7\n");
  const Policy before = *ReadPolicy(config.policy);
  scratch.Write("policy.yaml", "moves_per_hour: 8\n");
  const auto now = ReadFilesAgain(config, nullptr);
  ASSERT_TRUE(now.has_value());
  EXPECT_EQ(now->policy.moves_per_hour, 8);
  EXPECT_THAT(now->changes(before), ::testing::ElementsAre("moves_per_hour: 7 -> 8"));
}

TEST(ControllerSettings, AFileThatIsGoneIsAFaultOfTheConfiguration) {
  ControllerConfig config;
  config.policy.file = "/nowhere/policy.yaml";
  const auto now = ReadFilesAgain(config, nullptr);
  ASSERT_FALSE(now.has_value());
  EXPECT_EQ(now.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gp
