#include "cmd/settings/settings_layers.h"

#include <unistd.h>

#include "infrastructure/paths.h"
#include "tests/unit/cmd/settings/settings_fixture.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(SettingsTest, WithoutAnyLayerValuesAreBuiltIn) {
  const ControllerConfig& config = Read();
  EXPECT_EQ(config.listen.http, "");
  EXPECT_EQ(Origin("listen.http"), "built in");
  EXPECT_THAT(config.files, IsEmpty());
}

TEST_F(SettingsTest, EachLayerCoversThoseBelowIt) {
  Write("profile: development\nlog: json\nlisten:\n  http: 127.0.0.1:1\n  grpc: 127.0.0.1:5\n");
  DropIn("10-site.yaml", "listen:\n  http: 127.0.0.1:2\n");
  DropIn("20-later.yaml", "listen: {http: \"127.0.0.1:3\"}\n");
  DropIn("README", "no settings\n");
  EXPECT_EQ(Read().listen.http, "127.0.0.1:3");
  EXPECT_EQ(Origin("listen.http"), "conf.d/20-later.yaml:1");
  EXPECT_EQ(Read().listen.grpc, "127.0.0.1:5");
  EXPECT_EQ(Origin("listen.grpc"), "controller.yaml:5");
  EXPECT_EQ(Read().log, LogFormat::kJson) << "the file covers the profile";
  EXPECT_EQ(Read().agent.keep_logs, Duration::Minutes(7 * 24 * 60));
  EXPECT_EQ(Origin("agent.keep_logs"), "profile development");
  sources_.environment["GPU_PLATFORM_LISTEN_HTTP"] = "127.0.0.1:4";
  EXPECT_EQ(Read().listen.http, "127.0.0.1:4");
  EXPECT_EQ(Origin("listen.http"), "GPU_PLATFORM_LISTEN_HTTP");
  sources_.flags["listen.http"] = {"127.0.0.1:6"};
  EXPECT_EQ(Read().listen.http, "127.0.0.1:6");
  EXPECT_EQ(Origin("listen.http"), "--http");
}

TEST_F(SettingsTest, FilesAreListedInTheOrderInWhichTheyAreRead) {
  Write("log: text\n");
  DropIn("b.yaml", "log: json\n");
  DropIn("a.yaml", "log: none\n");
  EXPECT_THAT(Read().files,
              ElementsAre(scratch_.In("controller.yaml"), scratch_.In("conf.d/a.yaml"),
                          scratch_.In("conf.d/b.yaml")));
}

TEST_F(SettingsTest, PolicyMapsMergeKeyByKey) {
  Write("policy:\n  min_run: 3m\n  moves_per_hour: 7\n  xids:\n    79: {job: all, gpu: reset}\n");
  DropIn("site.yaml", "policy:\n  min_run: 4m\n");
  EXPECT_EQ(Read().policy.min_run, Duration::Minutes(4));
  EXPECT_EQ(Read().policy.moves_per_hour, 7);
  EXPECT_EQ(Origin("policy.min_run"), "conf.d/site.yaml:2");
  EXPECT_EQ(Origin("policy.moves_per_hour"), "controller.yaml:3");
}

TEST_F(SettingsTest, APolicyFileLiesBelowTheLayerThatNamesIt) {
  const std::string policy = scratch_.Write("policy.yaml", "min_run: 1m\nmoves_per_hour: 9\n");
  Write("policy_file: " + policy + "\npolicy:\n  min_run: 2m\n");
  EXPECT_EQ(Read().policy.min_run, Duration::Minutes(2));
  EXPECT_EQ(Read().policy.moves_per_hour, 9);
  EXPECT_EQ(Origin("policy.moves_per_hour"), "policy.yaml:2");
  sources_.flags["policy_file"] = {scratch_.Write("other.yaml", "min_run: 5m\n")};
  EXPECT_EQ(Read().policy.min_run, Duration::Minutes(5)) << "a flag covers the files";
  EXPECT_EQ(Read().policy.moves_per_hour, 60) << "another policy file takes the place of the first";
  sources_.flags["policy_file"] = {""};
  EXPECT_EQ(Read().policy.min_run, Duration::Minutes(2));
  EXPECT_EQ(Read().policy.moves_per_hour, 60) << "none is read";
}

TEST_F(SettingsTest, APolicyFileMayHaveSeveralDocuments) {
  Write("policy_file: " + scratch_.Write("policy.yaml", "min_run: 1m\n---\nmin_run: 2m\n") + "\n");
  EXPECT_EQ(Read().policy.min_run, Duration::Minutes(2));
}

TEST_F(SettingsTest, AReceiverFileWithoutReceiversIsAMistakeWithAPlace) {
  sources_.flags["notify_file"] = {scratch_.Write("notify.yaml", "# nothing yet\n")};
  EXPECT_THAT(Problems(), HasSubstr("notify.yaml:1:1: receivers: a list of receivers"));
  sources_.flags.clear();
  sources_.environment = {{"GPU_PLATFORM_NOTIFY_MAIL_FROM", "gpu@example.org"}};
  EXPECT_THAT(Problems(), HasSubstr("GPU_PLATFORM_NOTIFY_MAIL_FROM: receivers: a list"));
}

TEST_F(SettingsTest, EmptyAndHiddenDropInsSayNothing) {
  Write("log: text\n");
  DropIn("empty.yaml", "");
  DropIn("comment.yaml", "# later\n");
  DropIn(".#lock.yaml", "no: settings\n");
  EXPECT_EQ(Read().log, LogFormat::kText);
}

TEST_F(SettingsTest, EnvironmentSetsListsAndThePolicy) {
  sources_.environment = {{"GPU_PLATFORM_LISTEN_NAMES", "a,b"},
                          {"GPU_PLATFORM_AGENT_ENABLED", "false"},
                          {"GPU_PLATFORM_POLICY_MIN_RUN", "90s"}};
  const ControllerConfig& config = Read();
  EXPECT_THAT(config.listen.names, ElementsAre("a", "b"));
  EXPECT_FALSE(config.starts_agent);
  EXPECT_EQ(config.policy.min_run, Duration::Seconds(90));
  sources_.environment = {{"GPU_PLATFORM_LISTEN_NAMES", ""},
                          {"GPU_PLATFORM_AGENT_MIG", "0,1=3g.40gb,4g.40gb;2"}};
  EXPECT_THAT(Read().listen.names, IsEmpty());
  EXPECT_THAT(Read().agent.mig, ElementsAre("0,1=3g.40gb,4g.40gb", "2"));
}

TEST_F(SettingsTest, PathsAreAbsoluteInFilesAndWordsAreNoPaths) {
  Write("agent: {reset_command: tools/reset}\n");
  EXPECT_THAT(Problems(), HasSubstr("\"tools/reset\" is not an absolute path"));
  Write("agent: {reset_command: nvidia-smi}\n");
  EXPECT_EQ(Read().agent.reset_command, "nvidia-smi");
  sources_.flags["simulate"] = {"./machine.yaml"};
  EXPECT_EQ(Read().simulate, AbsolutePath("machine.yaml"));
  sources_.flags["simulate"] = {"dgx-h100:2"};
  EXPECT_EQ(Read().simulate, "dgx-h100:2");
}

TEST_F(SettingsTest, TextThatIsNotUtf8IsShownAndDoesNotCrash) {
  sources_.flags["state"] = {"/var/tmp/\xff"};
  EXPECT_EQ(Read().state_directory, "/var/tmp/\xff");
  EXPECT_THAT(reading_->read.values.at(1).value, HasSubstr("/var/tmp/"));
}

TEST_F(SettingsTest, AVariableThatNamesNoSettingIsReported) {
  sources_.environment = {{"GPU_PLATFORM_LISTEN_HTPT", "127.0.0.1:1"},
                          {"GPU_PLATFORM_TOKEN", "secret"}};
  EXPECT_THAT(Read().warnings,
              ElementsAre("GPU_PLATFORM_LISTEN_HTPT names no setting; did you mean "
                          "GPU_PLATFORM_LISTEN_HTTP?"));
}

TEST_F(SettingsTest, AWrongValueIsReportedEvenIfAnotherLayerCoversIt) {
  Write("listen:\n  tls: maybe\n");
  DropIn("site.yaml", "listen:\n  tls: true\n");
  EXPECT_THAT(Problems(), HasSubstr("controller.yaml:2:8: listen.tls: must be true or false"));
}

TEST_F(SettingsTest, ProblemsOfAllFilesAreReportedTogether) {
  Write("listen: {tsl: true}\nlog: xml\n");
  DropIn("a.yaml", "polcy: {}\n");
  sources_.flags["lease_time"] = {"soon"};
  sources_.environment["GPU_PLATFORM_KEEP_JOURNAL"] = "90";
  const std::string problems = Problems();
  EXPECT_EQ(std::ranges::count(problems, '\n'), 4) << problems;
  EXPECT_THAT(problems, HasSubstr("controller.yaml:1:10: listen: there is no setting \"tsl\"; did "
                                  "you mean \"tls\"?"));
  EXPECT_THAT(problems, HasSubstr("controller.yaml:2:6: log: \"xml\" is not one of"));
  EXPECT_THAT(problems, HasSubstr("conf.d/a.yaml:1:1: there is no setting \"polcy\"; did you mean "
                                  "\"policy\"?"));
  EXPECT_THAT(problems, HasSubstr("--lease-time: "));
  EXPECT_THAT(problems, HasSubstr("GPU_PLATFORM_KEEP_JOURNAL: \"90\" has no unit"));
}

TEST_F(SettingsTest, AFileThatIsNamedMustExist) {
  sources_.file_may_lack = false;
  EXPECT_THAT(Problems(), HasSubstr("controller.yaml:1:1: cannot be read"));
}

TEST_F(SettingsTest, AMissingPolicyFileIsReportedWhereItIsNamed) {
  Write("log: text\npolicy_file: /nowhere/policy.yaml\n");
  EXPECT_THAT(Problems(), HasSubstr("controller.yaml:2:14: policy_file: /nowhere/policy.yaml"));
}

TEST_F(SettingsTest, ProblemsOfAPolicyFileNameThatFile) {
  Write("policy_file: " + scratch_.Write("policy.yaml", "min_run: 1m\nmin_rum: 2m\n") + "\n");
  EXPECT_EQ(Problems(),
            "policy.yaml:2:1: there is no \"min_rum\" in a policy; did you mean "
            "\"min_run\"?");
}

TEST(SettingsVariables, AreMadeFromKeys) {
  EXPECT_EQ(VariableOf("GPU_PLATFORM_", "listen.node_certificates"),
            "GPU_PLATFORM_LISTEN_NODE_CERTIFICATES");
}

TEST(SettingsFile, IsBelowEtcForRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "for root";
  EXPECT_EQ(DefaultSettingsFile("controller"), "/etc/gpu-platform/controller.yaml");
}

}  // namespace
}  // namespace gp
