#include "cmd/serve/controller_settings.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cmd/serve/policy_with.h"
#include "cmd/settings/settings_flags.h"
#include "infrastructure/paths.h"
#include "tests/unit/cmd/settings/settings_fixture.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The settings of a command line alone.
Result<ControllerConfig> Parsed(std::vector<std::string> words) {
  CLI::App app;
  const auto sources = std::make_shared<SettingsSources>();
  ControllerConfig built_in;
  AddSettingsFlags(app, ControllerProgram(built_in), sources);
  sources->file.clear();
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return Fail(InvalidArgument(error.what()));
  }
  return ReadControllerSettings(*sources);
}

std::string ErrorOf(std::vector<std::string> words) {
  const auto config = Parsed(std::move(words));
  return config ? "" : config.error().message;
}

TEST(ServeFlags, DefaultsAreThoseOfTheReference) {
  const auto config = Parsed({});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->state_directory, DefaultStateDirectory());
  EXPECT_EQ(config->run_directory, DefaultRunDirectory());
  EXPECT_FALSE(config->ephemeral);
  EXPECT_FALSE(config->keep_sound_prefix);
  EXPECT_EQ(config->keep_journal, Duration{}) << "no record is dropped";
  EXPECT_EQ(config->listen.grpc, "") << "nothing is reachable from other machines";
  EXPECT_EQ(config->listen.http, "");
  EXPECT_EQ(config->listen.node_certificates, Duration::Minutes(60 * 24 * 90));
  EXPECT_EQ(config->policy.lease_time, Duration::Seconds(10));
  EXPECT_EQ(config->policy.min_run, BuiltInPolicy().min_run);
  EXPECT_FALSE(config->policy.faults.xids.empty()) << "with the rules of the catalogue";
  EXPECT_FALSE(config->notify.has_value());
  EXPECT_EQ(config->traces, "");
  EXPECT_FALSE(config->log.has_value());
  EXPECT_TRUE(config->starts_agent);
  EXPECT_EQ(config->agent.keep_logs, Duration::Minutes(60 * 24 * 90));
  EXPECT_FALSE(config->agent.allow_root);
}

TEST(ServeFlags, EachErrorNamesItsFlag) {
  const std::pair<const char*, const char*> cases[] = {
      {"--lease-time", "soon"},
      {"--lease-time", "10"},
      {"--lease-time", "-5s"},
      {"--lease-time", "0s"},
      {"--min-run", "10"},
      {"--min-run", "1h1"},
      {"--node-certificates", "forever"},
      {"--node-certificates", "9s"},
      {"--node-certificates", "3651d"},
      {"--traces", "collector"},
      {"--http", "c1.example.org:8080"},
      {"--traces", "ftp://host/"},
      {"--keep-journal", "90"},
      {"--keep-logs", "long"},
      {"--log", "xml"},
      {"--profile", "prodction"},
      {"--policy", "/nowhere/policy.yaml"},
      {"--notify", "/nowhere/notify.yaml"},
  };
  for (const auto& [flag, value] : cases)
    EXPECT_THAT(ErrorOf({flag, value}), StartsWith(flag)) << flag << " " << value;
}

TEST(ServeFlags, NodeCertificatesHaveALimitAtBothEnds) {
  EXPECT_EQ(Parsed({"--node-certificates", "10s"})->listen.node_certificates,
            Duration::Seconds(10));
  EXPECT_EQ(Parsed({"--node-certificates", "3650d"})->listen.node_certificates,
            Duration::Minutes(60 * 24 * 3'650));
  EXPECT_EQ(ErrorOf({"--node-certificates", "9s"}),
            "--node-certificates: must be from 10s to 3650d, not 9s");
}

TEST(ServeFlags, PathsBecomeAbsolute) {
  const std::string here = std::filesystem::current_path();
  const auto config = Parsed({"--state", "state", "--run-dir", "./run/../sockets"});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->state_directory, here + "/state");
  EXPECT_EQ(config->run_directory, here + "/sockets");
  EXPECT_EQ(Parsed({"--policy", ""})->policy_file, "") << "none is none";
}

TEST(ServeFlags, MinRunOfZeroIsNotThatOfThePolicy) {
  EXPECT_EQ(Parsed({"--min-run", "0s"})->policy.min_run, Duration{});
  EXPECT_EQ(Parsed({"--min-run", "90s"})->policy.min_run, Duration::Seconds(90));
}

TEST(ServeFlags, EventsAreLoggedAsTextOrJson) {
  EXPECT_EQ(Parsed({"--log", "text"})->log, LogFormat::kText);
  EXPECT_EQ(Parsed({"--log", "json"})->log, LogFormat::kJson);
  EXPECT_EQ(Parsed({"--log", "none"})->log, std::nullopt);
}

TEST(ServeFlags, BooleansAreSetByTheirFlagAlone) {
  EXPECT_FALSE(Parsed({"--no-agent"})->starts_agent);
  EXPECT_TRUE(Parsed({"--tls"})->listen.tls);
  EXPECT_FALSE(Parsed({"--tls=false"})->listen.tls);
  EXPECT_TRUE(Parsed({"--no-agent=false"})->starts_agent);
}

TEST(ServeFlags, SomeMayBeGivenMoreThanOnce) {
  const auto config =
      Parsed({"--tls-name", "a", "--tls-name", "b", "--mig", "0=1g.10gb,1g.10gb", "--mig", "2-3"});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_THAT(config->listen.names, ElementsAre("a", "b"));
  EXPECT_THAT(config->agent.mig, ElementsAre("0=1g.10gb,1g.10gb", "2-3"));
}

TEST(ServeFlags, AFlagMayHaveSeveralValues) {
  EXPECT_THAT(Parsed({"--tls-name", "a", "b"})->listen.names, ElementsAre("a", "b"));
}

TEST_F(SettingsTest, AFlagTurnsOffWhatAFileTurnsOn) {
  Write("agent: {allow_root: true}\n");
  sources_.flags["agent.allow_root"] = {"false"};
  EXPECT_FALSE(Read().agent.allow_root);
}

TEST(ServeFlags, PlayedNodesNeedAMachine) {
  EXPECT_THAT(ErrorOf({"--light"}), HasSubstr("light: requires simulate"));
  EXPECT_THAT(ErrorOf({"--store", "etcd:http://127.0.0.1:2379"}),
              HasSubstr("sharing.store: requires agent.enabled: false"));
  EXPECT_THAT(ErrorOf({"--store", "etcd:http://127.0.0.1:2379", "--no-agent", "--ephemeral"}),
              HasSubstr("ephemeral: a controller that shares its log"));
  EXPECT_THAT(ErrorOf({"--store", "etcd:http://10.0.0.7:2379"}), HasSubstr("begin with https"));
  EXPECT_THAT(ErrorOf({"--cluster", "a/b"}), HasSubstr("1 to 63 letters"));
  EXPECT_THAT(ErrorOf({"--reads", "127.0.0.1:0"}), HasSubstr("listen.reads: is for several"));
}

TEST(ServeFlags, SeveralControllersHaveALongerLeaseTimeUnlessItIsSet) {
  const std::string store = "etcd:http://127.0.0.1:2379";
  EXPECT_EQ(Parsed({})->policy.lease_time, Duration::Seconds(10));
  const auto shared = Parsed({"--store", store, "--no-agent"});
  EXPECT_EQ(shared->policy.lease_time, Duration::Seconds(20));
  const auto shown = std::ranges::find(shared->values, "lease_time", &SettingValue::key);
  EXPECT_EQ(shown->value, "20s");
  EXPECT_EQ(shown->origin, kBuiltIn);
  EXPECT_EQ(Parsed({"--store", store, "--no-agent", "--lease-time", "10s"})->policy.lease_time,
            Duration::Seconds(10));
}

TEST(ServeFlags, AStoreOfItsOwnIsCompactedAndHasAQuota) {
  EXPECT_TRUE(Parsed({})->sharing.compacts);
  EXPECT_EQ(Parsed({})->sharing.quota, 2'147'483'648);
  EXPECT_FALSE(Parsed({"--store-shared"})->sharing.compacts);
  EXPECT_EQ(Parsed({"--store-quota", "8589934592"})->sharing.quota, 8'589'934'592);
  EXPECT_THAT(ErrorOf({"--store-quota", "1000"}), HasSubstr("--store-quota: must be from"));
}

TEST_F(SettingsTest, FlagsCoverThePolicyFile) {
  sources_.flags = {{"policy_file", {scratch_.Write("policy.yaml", "min_run: 3m\n")}},
                    {"policy.min_run", {"0s"}},
                    {"lease_time", {"42s"}}};
  EXPECT_EQ(Read().policy.min_run, Duration{});
  EXPECT_EQ(Read().policy.lease_time, Duration::Seconds(42));
}

TEST_F(SettingsTest, ReceiversMayBeInTheFileItself) {
  Write(
      "notify:\n  receivers:\n    - {name: pager, on: incident_opened, webhook: "
      "\"https://hooks.example.org/x\"}\n");
  ASSERT_TRUE(Read().notify.has_value());
  EXPECT_EQ(reading_->config.notify->receivers.at(0).name, "pager");
  Write("notify:\n  receivers:\n    - {nmae: pager}\n");
  EXPECT_THAT(Problems(), HasSubstr("controller.yaml:3:8: receivers[0]: there is no \"nmae\""));
}

}  // namespace
}  // namespace gp
