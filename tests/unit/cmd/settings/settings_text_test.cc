#include "cmd/settings/settings_text.h"

#include "cmd/agent/agent_settings.h"
#include "cmd/serve/policy_text.h"
#include "tests/support/written_file.h"
#include "tests/unit/cmd/settings/settings_fixture.h"

namespace gp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHead =
    "# Settings\n\n"
    "Every setting of `serve` and `agent`, with its flag and its environment variable. "
    "[settings.md](../settings.md) explains how they come together.\n\n"
    "<!-- Written from the tables of settings; a test compares, and GP_ACCEPT=1 rewrites. -->\n\n";

std::string Reference() {
  ControllerConfig controller;
  AgentConfig agent;
  return kHead + std::string("## controller.yaml, `gpu-platform serve`\n\n") +
         SettingsReference(ControllerProgram(controller)) +
         "\nThe maps `policy` ([policies](policies.md)) and `notify` "
         "([notifications](../how-to/notifications.md)) have the keys of a policy file and of a "
         "file of receivers. A variable such as `GPU_PLATFORM_POLICY_MIN_RUN` sets a number or a "
         "time of the policy.\n\n"
         "## agent.yaml, `gpu-platform agent`\n\n" +
         SettingsReference(AgentProgram(agent));
}

TEST(SettingsDocuments, AreUpToDate) {
  ControllerConfig controller;
  AgentConfig agent;
  ExpectWritten("docs/reference/settings.md", Reference());
  ExpectWritten("data/schema/controller.v1.json", SettingsSchema(ControllerProgram(controller)));
  ExpectWritten("data/schema/agent.v1.json", SettingsSchema(AgentProgram(agent)));
}

TEST(SettingsDocuments, EachRowHasItsMeaningAndNoKeyStandsTwice) {
  ControllerConfig controller;
  AgentConfig agent;
  for (const SettingsProgram& program : {ControllerProgram(controller), AgentProgram(agent)}) {
    std::set<std::string> keys, flags;
    for (const Setting& row : program.rows) {
      EXPECT_TRUE(keys.insert(row.key).second) << row.key;
      EXPECT_TRUE(row.flag.empty() || flags.insert(row.flag).second) << row.flag;
      EXPECT_FALSE(row.meaning.empty()) << row.key;
      EXPECT_FALSE(row.meaning.ends_with('.')) << row.key;
    }
  }
}

// What `config show` prints is a settings file that says the same.
TEST_F(SettingsTest, TheTextIsAFileThatSaysTheSame) {
  Write(
      "log: json\nkeep_journal: 1d2h30m\nlease_time: 1500ms\nlisten:\n  names: [a, \"b,c\"]\n  "
      "http: 127.0.0.1:8080\nagent:\n  mig: "
      "[\"0=1g.10gb,1g.10gb\"]\npolicy:\n  min_run: 1h2m3s\n  "
      "prices: {currency: EUR}\n  health: {nvlink-down: no-new-work}\n");
  const ControllerConfig before = Read();
  for (const bool origins : {false, true}) {
    const SettingsProgram program = ControllerProgram(reading_->config);
    Write(SettingsText(program, reading_->read, origins) +
          SectionText(program.sections.front(), reading_->read, PolicyKeysText(before.policy),
                      origins));
    const ControllerConfig now = Read();
    ASSERT_EQ(now.values.size(), before.values.size());
    for (size_t i = 0; i < now.values.size(); ++i)
      EXPECT_EQ(now.values[i].value, before.values[i].value) << now.values[i].key;
    EXPECT_EQ(PolicyKeysText(now.policy), PolicyKeysText(before.policy));
    EXPECT_EQ(now.keep_journal, Duration::Minutes(26 * 60 + 30));
    EXPECT_EQ(now.policy.lease_time, Duration::Milliseconds(1'500));
    EXPECT_EQ(now.policy.min_run, Duration::Seconds(3'723));
    EXPECT_EQ(now.policy.faults.health, before.policy.faults.health);
  }
}

TEST_F(SettingsTest, OriginsStandBehindTheValues) {
  Write("log: json\npolicy:\n  min_run: 3m\n");
  Read();
  const SettingsProgram program = ControllerProgram(reading_->config);
  EXPECT_THAT(SettingsText(program, reading_->read, true),
              HasSubstr("log: json                               # " + scratch_.path() +
                        "/controller.yaml:1\n"));
  EXPECT_THAT(SettingsText(program, reading_->read, true), HasSubstr("# built in\n"));
  EXPECT_THAT(SettingsText(program, reading_->read, false), Not(HasSubstr("# built in")));
  EXPECT_THAT(SectionText(program.sections.front(), reading_->read,
                          PolicyKeysText(reading_->config.policy), true),
              HasSubstr("controller.yaml:3\n"));
}

TEST_F(SettingsTest, OnlyGivenValuesAreWritten) {
  sources_.flags = {{"profile", {"production"}}, {"listen.http", {"127.0.0.1:8080"}}};
  Read();
  const std::string text = GivenSettingsText(ControllerProgram(reading_->config), reading_->read);
  EXPECT_THAT(text, HasSubstr("\nprofile: production\n"));
  EXPECT_THAT(text, HasSubstr("\nlisten:\n"));
  EXPECT_THAT(text, HasSubstr("\n  http: 127.0.0.1:8080\n"));
  EXPECT_THAT(text, Not(HasSubstr("keep_journal"))) << "it is the profile's";
  EXPECT_THAT(text, Not(HasSubstr("agent")));
}

TEST(YamlText, IsQuotedWhereItMustBe) {
  for (const char* plain : {"127.0.0.1:8080", "/var/lib/x", "a-b_c.d", "10s", "dgx-h100:2"})
    EXPECT_EQ(YamlText(plain), plain);
  for (const char* quoted : {"", "a: b", "a,b", "#x", "[a]", "null", "-x", "x:", "a b", "*"})
    EXPECT_EQ(YamlText(quoted), "\"" + std::string(quoted) + "\"");
}

TEST(FlagsOfAnAgent, AreThoseThatDiffer) {
  AgentConfig config;
  EXPECT_THAT(FlagsOf(config), testing::IsEmpty());
  config.allow_root = true;
  config.keep_logs = Duration{};
  config.mig = {"0=1g.10gb,1g.10gb", "2"};
  config.service_user = "a b";
  EXPECT_THAT(FlagsOf(config),
              testing::ElementsAre("--service-user", "a b", "--allow-root", "--keep-logs", "0s",
                                   "--mig", "0=1g.10gb,1g.10gb", "--mig", "2"));
}

}  // namespace
}  // namespace gp
