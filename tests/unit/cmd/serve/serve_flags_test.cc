#include "cmd/serve/serve_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "infrastructure/paths.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The settings of a command line.
Result<ControllerConfig> Parsed(std::vector<std::string> words) {
  CLI::App app;
  const auto flags = std::make_shared<ServeFlags>();
  AddServeFlags(app, flags);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return Fail(InvalidArgument(error.what()));
  }
  return ParseServeFlags(*flags);
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
  EXPECT_EQ(config->policy.min_run, std::nullopt) << "that of the policy";
  EXPECT_EQ(config->notify, "");
  EXPECT_FALSE(config->traces.has_value());
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
      {"--min-run", "10"},
      {"--min-run", "1h1"},
      {"--node-certificates", "forever"},
      {"--node-certificates", "9s"},
      {"--node-certificates", "3651d"},
      {"--traces", "collector"},
      {"--traces", "ftp://host/"},
      {"--keep-journal", "90"},
      {"--keep-logs", "long"},
      {"--log", "xml"},
  };
  for (const auto& [flag, value] : cases)
    EXPECT_THAT(ErrorOf({flag, value}), StartsWith(flag)) << flag << " " << value;
}

TEST(ServeFlags, NodeCertificatesHaveALimitAtBothEnds) {
  EXPECT_EQ(Parsed({"--node-certificates", "10s"})->listen.node_certificates,
            Duration::Seconds(10));
  EXPECT_EQ(Parsed({"--node-certificates", "3650d"})->listen.node_certificates,
            Duration::Minutes(60 * 24 * 3'650));
  EXPECT_EQ(ErrorOf({"--node-certificates", "9s"}), "--node-certificates: 10s to 3650d");
}

TEST(ServeFlags, PathsBecomeAbsolute) {
  const std::string here = std::filesystem::current_path();
  const auto config = Parsed({"--state", "state", "--run-dir", "./run/../sockets", "--policy",
                              "policy.yaml", "--notify", "../notify.yaml"});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->state_directory, here + "/state");
  EXPECT_EQ(config->run_directory, here + "/sockets");
  EXPECT_EQ(config->policy.file, here + "/policy.yaml");
  EXPECT_EQ(config->notify, (std::filesystem::path(here).parent_path() / "notify.yaml").string());
  EXPECT_EQ(Parsed({"--policy", ""})->policy.file, "") << "none is none";
}

TEST(ServeFlags, MinRunOfZeroIsNotThatOfThePolicy) {
  EXPECT_EQ(Parsed({"--min-run", "0s"})->policy.min_run, Duration{});
  EXPECT_EQ(Parsed({"--min-run", "90s"})->policy.min_run, Duration::Seconds(90));
}

TEST(ServeFlags, EventsAreLoggedAsTextOrJson) {
  EXPECT_EQ(Parsed({"--log", "text"})->log, LogFormat::kText);
  EXPECT_EQ(Parsed({"--log", "json"})->log, LogFormat::kJson);
}

TEST(ServeFlags, TracesGoToTheCollectorsUsualPath) {
  const auto config = Parsed({"--traces", "http://127.0.0.1:4318"});
  ASSERT_TRUE(config.has_value() && config->traces.has_value());
  EXPECT_EQ(config->traces->target, "/v1/traces");
  EXPECT_EQ(Parsed({"--traces", "http://127.0.0.1:4318/other"})->traces->target, "/other");
}

TEST(ServeFlags, WithoutAnAgentNoneIsStarted) {
  EXPECT_FALSE(Parsed({"--no-agent"})->starts_agent);
}

TEST(ServeFlags, SomeMayBeGivenMoreThanOnce) {
  const auto config =
      Parsed({"--tls-name", "a", "--tls-name", "b", "--mig", "0=1g.10gb", "--mig", "2-3"});
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(config->listen.names, ElementsAre("a", "b"));
  EXPECT_EQ(config->agent.mig, "0=1g.10gb;2-3");
}

}  // namespace
}  // namespace gp
