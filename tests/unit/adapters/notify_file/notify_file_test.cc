#include "adapters/inbound/notify_file/notify_file.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(NotifyFile, SaysWhoIsToldOfWhat) {
  const auto config = DecodeNotify("n.yaml", R"(
sendmail: /opt/sendmail
mail_from: gpu@example.org
receivers:
  - name: pager
    on: [incident_*, node_lost]
    webhook: https://hooks.example.org/7
    secret_file: /etc/pager.secret
  - {name: bot, on: job_ended, where: {state: [FAILED, TIMEOUT], exit_code: 3},
     exec: [/usr/bin/tell, --room, "7"]}
  - {name: people, on: breaker_opened, mail: [ops@example.org, root]}
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->sendmail, "/opt/sendmail");
  EXPECT_EQ(config->mail_from, "gpu@example.org");
  ASSERT_EQ(config->receivers.size(), 3U);
  EXPECT_EQ(config->receivers[0].on, (std::set<std::string>{"incident_changed", "incident_noted",
                                                            "incident_opened", "node_lost"}));
  EXPECT_EQ(config->receivers[0].url, "https://hooks.example.org/7");
  EXPECT_EQ(config->receivers[0].secret_file, "/etc/pager.secret");
  EXPECT_EQ(config->receivers[1].way, NotifyWay::kExec);
  EXPECT_EQ(config->receivers[1].where.at("state"), (std::set<std::string>{"FAILED", "TIMEOUT"}));
  EXPECT_EQ(config->receivers[1].where.at("exit_code"), std::set<std::string>{"3"});
  EXPECT_EQ(config->receivers[1].command,
            (std::vector<std::string>{"/usr/bin/tell", "--room", "7"}));
  EXPECT_EQ(config->receivers[2].recipients, (std::vector<std::string>{"ops@example.org", "root"}));
}

TEST(NotifyFile, TellsWhereAndHowItIsWrong) {
  const std::string sound = "receivers: [{name: a, on: job_ended, exec: /bin/true}]";
  ASSERT_TRUE(DecodeNotify("n.yaml", sound));
  const std::pair<std::string, std::string> wrong[] = {
      {"", "must be one map with \"receivers\""},
      {"[]", "n.yaml:1:1: receivers: a list of receivers"},
      {"sendmail: /x", "receivers: a list of receivers"},
      {"receivers: []", "a list of 1 to 32"},
      {"receivers: [7]", "n.yaml:1:13: receivers[0]: a map such as"},
      {"receivers: [{on: job_ended, exec: /bin/true}]",
       "receivers[0].name: every receiver needs a name"},
      {"receivers: [{name: A/B, on: job_ended, exec: /bin/true}]", "receivers[0].name"},
      {"receivers: [{name: a, exec: /bin/true}]", "receivers[0].on: which events"},
      {"receivers: [{name: a, on: job_endet, exec: /bin/true}]", "did you mean \"job_ended\"?"},
      {"receivers: [{name: a, on: [], exec: /bin/true}]", "receivers[0].on: a list of 1 to 100"},
      {"receivers: [{name: a, on: {job_ended: true}, exec: /bin/true}]", "receivers[0].on"},
      {"receivers: [{name: a, on: job_ended}]", "one of webhook, exec and mail"},
      {"receivers: [{name: a, on: job_ended, exec: /bin/true, mail: root}]", "write two receivers"},
      {"receivers: [{name: a, on: job_ended, exec: true}]",
       "begins with a program's absolute path"},
      {"receivers: [{name: a, on: job_ended, webhook: hooks.example.org}]",
       "begins with neither https:// nor http://"},
      {"receivers: [{name: a, on: job_ended, webhook: \"https://u:p@h/\"}]",
       "has a user or a password"},
      {"receivers: [{name: a, on: job_ended, exec: /bin/true, secret_file: /x}]",
       "are for webhooks"},
      {"receivers: [{name: a, on: job_ended, webhook: \"https://h/\", secret_file: x}]",
       "an absolute path"},
      {"receivers: [{name: a, on: job_ended, mail: \"a@b, c@d\"}]", "is not an address such as"},
      {"receivers: [{name: a, on: job_ended, mail: \"a@b\\nBcc: c@d\"}]",
       "is not an address such as"},
      {"receivers: [{name: a, on: job_ended, mail: \"-oQ/tmp\"}]", "is not an address such as"},
      {"receivers: [{name: a, on: job_ended, where: {stat: FAILED}, exec: /bin/true}]",
       "did you mean \"state\"?"},
      {"receivers: [{name: a, on: job_ended, where: FAILED, exec: /bin/true}]",
       "a map such as {state:"},
      {"receivers: [{name: a, on: job_ended, where: {state: TIMED_OUT}, exec: /bin/true}]",
       "receivers[0].where.state: there is no state \"TIMED_OUT\"; did you mean \"TIMEOUT\"?"},
      {"receivers: [{name: a, on: gpu_condition, where: {condition: [LOST, ILL]}, exec: "
       "/bin/true}]",
       "there is no condition \"ILL\""},
      {"receivers: [{name: a, on: job_ended, webhook: \"https://[]/\"}]", "has no host"},
      {"receivers: [{name: a, on: job_ended, exec: /bin/true}, {name: a, on: job_ended, exec: "
       "/bin/true}]",
       "there are two named \"a\""},
      {"receivers: [{name: a, on: job_ended, exec: /bin/true, room: 7}]", "there is no \"room\""},
      {"receivers: [{name: a, on: [job_ended, node_lost], jobs: true, mail: "
       "[\"{user}@example.org\"]}]",
       "receivers[0].mail: {user} is the user of a job"},
      {"receivers: [{name: a, jobs: 1, exec: /bin/true}]", "receivers[0].jobs: "},
      {"receivers: [{name: a, jobs: false, exec: /bin/true}]", "receivers[0].on: which events"},
      {"receivers: [{name: a, jobs: true, mail: [\"{user}{user}@example.org\"]}]",
       "is not an address"},
      {"receivers: [{name: a, on: job_metrics, mail: root}]", "job_metrics is for programs"},
      {"receivers: [{name: a, on: job_ended, metrics_every: 5s, exec: /bin/true}]",
       "receivers[0].metrics_every: it is for a receiver with job_metrics"},
      {"receivers: [{name: a, on: job_metrics, metrics_every: 0s, exec: /bin/true}]",
       "receivers[0].metrics_every: "},
      {"receivers: [{name: a, on: job_metrics, metrics_every: 60, exec: /bin/true}]",
       "has no unit"},
      {"receiver: []", "did you mean \"receivers\"?"},
      {sound + "\n---\n" + sound, "not 2 documents"},
  };
  for (const auto& [text, told] : wrong) {
    const auto config = DecodeNotify("n.yaml", text);
    ASSERT_FALSE(config) << text;
    EXPECT_NE(config.error().message.find(told), std::string::npos) << text << "\n"
                                                                    << config.error().message;
  }
}

TEST(NotifyFile, MetricsAreNamedInFull) {
  const auto config = DecodeNotify("n.yaml", R"(receivers:
  - {name: a, on: [job_metrics, node_lost], exec: /bin/true}
  - {name: b, on: job_metrics, metrics_every: 5s, exec: /bin/true}
  - {name: c, on: job_*, exec: /bin/true}
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->receivers[0].on, (std::set<std::string>{"job_metrics", "node_lost"}));
  EXPECT_EQ(config->receivers[0].metrics_every, Duration::Seconds(60));
  EXPECT_EQ(config->receivers[1].metrics_every, Duration::Seconds(5));
  EXPECT_TRUE(config->receivers[2].on.contains("job_ended"));
  EXPECT_FALSE(config->receivers[2].on.contains("job_metrics"));
}

TEST(NotifyFile, ReceiversThatJobsMayNameNeedNoEvents) {
  const auto config = DecodeNotify(
      "n.yaml", "receivers: [{name: a, jobs: true, mail: [\"{user}@example.org\", root]}]");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->receivers[0].jobs_may_name);
  EXPECT_TRUE(config->receivers[0].on.empty());
  EXPECT_EQ(config->receivers[0].recipients,
            (std::vector<std::string>{"{user}@example.org", "root"}));
}

TEST(NotifyFile, AnOddFileIsRefused) {
  EXPECT_EQ(ReadNotifyFile("/nonexistent").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(DecodeNotify("n.yaml", std::string("receivers: \0", 12)));
  EXPECT_FALSE(DecodeNotify("n.yaml", std::string(2 << 20, '#')));
}

}  // namespace
}  // namespace gp
