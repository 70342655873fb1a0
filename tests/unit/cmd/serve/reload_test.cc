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
  EXPECT_THAT(ReadSettingsAgain(running, nullptr)->changes(running.policy), IsEmpty());
  Write("listen:\n  http: 127.0.0.1:2\nlease_time: 20s\npolicy:\n  moves_per_hour: 8\n");
  const auto now = ReadSettingsAgain(running, nullptr);
  ASSERT_TRUE(now.has_value()) << now.error().message;
  EXPECT_THAT(now->changes(running.policy), ElementsAre("moves_per_hour: 7 -> 8"));
  EXPECT_THAT(now->needs_restart,
              ElementsAre("listen.http: 127.0.0.1:1 -> 127.0.0.1:2", "lease_time: 10s -> 20s"));
  EXPECT_EQ(now->policy.lease_time, Duration::Seconds(10)) << "agents have learned the old one";
}

TEST_F(SettingsTest, NewReceiversNeedARestart) {
  Write("log: none\n");
  const ControllerConfig running = Read();
  Write("notify: {receivers: [{name: a, on: node_lost, exec: /bin/true}]}\n");
  EXPECT_THAT(ReadSettingsAgain(running, nullptr)->needs_restart, ElementsAre("notify"));
}

TEST_F(SettingsTest, AReloadOfWrongFilesChangesNothing) {
  Write("log: none\n");
  const ControllerConfig running = Read();
  Write("lgo: none\n");
  const auto now = ReadSettingsAgain(running, nullptr);
  ASSERT_FALSE(now.has_value());
  EXPECT_EQ(now.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(now.error().message, HasSubstr("controller.yaml:1:1"));
}

}  // namespace
}  // namespace gp
