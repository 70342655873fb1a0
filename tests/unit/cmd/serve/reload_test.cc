#include "cmd/serve/reload.h"

#include "tests/unit/cmd/settings/settings_fixture.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SettingsTest, AReloadTellsWhatChangesAndWhatNeedsARestart) {
  Write("listen:\n  http: 127.0.0.1:1\nlease_time: 10s\npolicy:\n  moves_per_hour: 7\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  EXPECT_THAT(ReadSettingsAgain(running, nullptr, in_force)->changes(running.policy), IsEmpty());
  Write("listen:\n  http: 127.0.0.1:2\nlease_time: 20s\npolicy:\n  moves_per_hour: 8\n");
  const auto now = ReadSettingsAgain(running, nullptr, in_force);
  ASSERT_TRUE(now.has_value()) << now.error().message;
  EXPECT_THAT(now->changes(running.policy), ElementsAre("moves_per_hour: 7 -> 8"));
  EXPECT_THAT(now->needs_restart,
              ElementsAre("listen.http: 127.0.0.1:1 -> 127.0.0.1:2", "lease_time: 10s -> 20s"));
  EXPECT_EQ(now->policy.lease_time, Duration::Seconds(10)) << "agents have learned the old one";
}

TEST_F(SettingsTest, WhatIsInForceAfterAReloadIsSaid) {
  const std::string first = scratch_.Write("a.yaml", "min_run: 1m\n");
  const std::string second = scratch_.Write("b.yaml", "min_run: 2m\n");
  Write("policy_file: " + first + "\nkeep_journal: 1d\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  Write("policy_file: " + second + "\nkeep_journal: 2d\n");
  DropIn("site.yaml", "log: none\n");
  ReadSettingsAgain(running, nullptr, in_force)->applied();
  const SettingsInForce::View now = in_force.Now();
  EXPECT_EQ(now.policy_file, second);
  EXPECT_EQ(now.files.size(), 2U);
  for (const SettingValue& one : now.values) {
    if (one.key == "keep_journal") {
      EXPECT_EQ(one.value, "1d") << "it needs a restart";
    }
    if (one.key == "policy_file") {
      EXPECT_EQ(one.value, second);
    }
  }
}

TEST_F(SettingsTest, ASecretIsNotSaid) {
  Write("traces: \"https://c.example.org/v1?key=one\"\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  Write("traces: \"https://c.example.org/v1?key=two\"\n");
  EXPECT_THAT(ReadSettingsAgain(running, nullptr, in_force)->needs_restart, ElementsAre("traces"));
}

TEST_F(SettingsTest, EveryRuleOfThePolicyThatChangesIsSaid) {
  Write("policy: {min_run: 1d2h10m}\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  Write("policy: {min_run: 1d2h50m, health: {nvlink-down: no-new-work}}\n");
  EXPECT_THAT(ReadSettingsAgain(running, nullptr, in_force)->changes(running.policy),
              ElementsAre("min_run: 1d2h10m -> 1d2h50m", "health"));
}

TEST_F(SettingsTest, NewReceiversNeedARestart) {
  Write("log: none\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  Write("notify: {receivers: [{name: a, on: node_lost, exec: /bin/true}]}\n");
  const auto now = ReadSettingsAgain(running, nullptr, in_force);
  EXPECT_THAT(now->needs_restart, ElementsAre("notify"));
  Write("notify_file: " +
        scratch_.Write("n.yaml", "receivers: [{name: a, on: node_lost, exec: /bin/true}]\n") +
        "\n");
  ReadSettingsAgain(running, nullptr, in_force)->applied();
  for (const SettingValue& one : in_force.Now().values) {
    if (one.key == "notify_file") {
      EXPECT_EQ(one.value, "") << "nobody is notified yet";
    }
  }
}

TEST_F(SettingsTest, AReloadOfWrongFilesChangesNothing) {
  Write("log: none\n");
  const ControllerConfig running = Read();
  SettingsInForce in_force(running);
  Write("lgo: none\n");
  const auto now = ReadSettingsAgain(running, nullptr, in_force);
  ASSERT_FALSE(now.has_value());
  EXPECT_EQ(now.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(now.error().message, HasSubstr("controller.yaml:1:1"));
}

}  // namespace
}  // namespace gp
