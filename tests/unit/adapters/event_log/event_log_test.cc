#include "adapters/outbound/event_log/event_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "adapters/outbound/memory/manual_clock.h"
#include "domain/cluster/nodes/report_of.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;

// A log whose reader reads when the test says so.
class EventLogTest : public testing::Test {
 protected:
  EventLogTest() {
    EXPECT_EQ(pipe(pipe_), 0);
    fcntl(pipe_[0], F_SETFL, O_NONBLOCK);
    node_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  }
  ~EventLogTest() override {
    log_.reset();
    close(pipe_[0]);
    close(pipe_[1]);
  }

  void Open(LogFormat format, size_t waiting_max = 1'000) {
    log_ = std::make_unique<EventLog>(pipe_[1], format, clock_, waiting_max);
  }
  void Tell(const std::vector<Event>& events) {
    log_->OnCommit(cluster_.state(), {.events = events});
  }
  void Do(const Command& command) {
    const auto events = cluster_.Execute(command);
    ASSERT_TRUE(events) << events.error().message;
    Tell(*events);
  }
  JobId Submit(JobSpec spec = {}) {
    spec.name = spec.name.empty() ? "train" : spec.name;
    spec.program.command = {"sh", "-c", "echo $SECRET"};
    spec.program.environment = {{"SECRET", "hidden"}};
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    return JobId{cluster_.state().jobs.last};
  }
  void Run(JobId job, std::optional<LeaseEnd> outcome) {
    Do(ReportOf(cluster_.state(), cluster_.now(), cluster_.state().FindJob(job)->leases.front(),
                outcome));
  }

  // All that was written; the log has ended.
  std::vector<std::string> Lines() {
    log_.reset();
    std::string text;
    char piece[4'096];
    for (ssize_t n = 0; (n = read(pipe_[0], piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<size_t>(n));
    std::vector<std::string> lines;
    for (size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      lines.push_back(text.substr(at, end - at));
    return lines;
  }

  int pipe_[2];
  TestCluster cluster_;
  ManualClock clock_;
  NodeId node_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(EventLogTest, TellsTheLifeOfAJob) {
  Open(LogFormat::kJson);
  const JobId job = Submit();
  Tell(cluster_.Pass());
  Run(job, std::nullopt);
  Run(job, LeaseEnd::kOutOfMemory);
  std::vector<std::string> events;
  for (const std::string& line : Lines()) {
    EXPECT_EQ(line.find("hidden"), std::string::npos) << line;
    EXPECT_EQ(line.find("echo"), std::string::npos) << line;
    const Json entry = Json::parse(line);
    events.push_back(entry["event"]);
    EXPECT_EQ(entry["job"], "job-1") << line;
    EXPECT_EQ(entry["name"], "train");
    EXPECT_EQ(entry["user"], "ana");
    EXPECT_EQ(entry["queue"], "default");
    EXPECT_EQ(entry["time"].get<std::string>().size(),
              std::string("2026-11-24T10:00:00.000Z").size());
    if (events.size() == 1) continue;
    EXPECT_EQ(entry["attempt"], 1);
    if (events.size() == 2) {
      EXPECT_EQ(entry["nodes"], "n1");
    }
    if (events.size() < 4) continue;
    EXPECT_EQ(entry["level"], "warning");
    EXPECT_EQ(entry["state"], "FAILED");
  }
  EXPECT_THAT(events, ElementsAre("job_submitted", "job_placed", "job_started", "job_ended"));
}

TEST_F(EventLogTest, NamesTheAttemptOfItsTimeInACommitOfMany) {
  Open(LogFormat::kJson);
  JobSpec spec;
  spec.program.command = {"train"};
  auto events =
      cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}).value();
  for (const Event& event : cluster_.Pass()) events.push_back(event);
  Tell(events);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_FALSE(Json::parse(lines[0]).contains("attempt")) << lines[0];
  EXPECT_EQ(Json::parse(lines[1])["attempt"], 1) << lines[1];
}

TEST_F(EventLogTest, TellsOfNodesAndGpus) {
  Open(LogFormat::kText);
  FaultSignal signal;
  signal.number = 1;
  signal.xid = 79;
  Do(ReportGpus{node_, 1, {signal}, {}});
  Do(ExpireHeartbeat{node_});
  std::string text;
  for (const std::string& line : Lines()) text += line + "\n";
  EXPECT_NE(text.find(" warning gpu_xid node=n1 gpu=0 xid=79\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find(" incident_opened incident=incident-1 cause=\"XID 79\" node=n1 gpu=0 pool=default"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(" error node_lost node=n1\n"), std::string::npos) << text;
}

TEST_F(EventLogTest, WritesWordsOfOthersSoThatNoLineIsForged) {
  JobSpec spec;
  spec.name = "a\n2026-11-24T10:00:00.000Z info job_ended job=job-1";
  const EventLine line{
      LogLevel::kInfo, "job_submitted", {{"name", std::string("a b=\"c\"")}, {"step", int64_t{7}}}};
  const Instant at{0};
  EXPECT_EQ(ToText(line, at, LogFormat::kText),
            "1970-01-01T00:00:00.000Z info job_submitted name=\"a b=\\\"c\\\"\" step=7\n");
  EXPECT_EQ(ToText(line, at, LogFormat::kJson),
            R"({"time":"1970-01-01T00:00:00.000Z","level":"info","event":"job_submitted",)"
            R"("name":"a b=\"c\"","step":7})"
            "\n");
  Open(LogFormat::kText);
  Tell({JobStopOrdered{JobId{1}, StopCause::kCancel, StopOrder::kGraceful,
                       spec.name + "\x1b[31m\xff"}});
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
}

TEST_F(EventLogTest, LosesLinesAndSaysSoWhereNobodyReads) {
  fcntl(pipe_[1], F_SETPIPE_SZ, 4'096);
  Open(LogFormat::kText, 10);
  for (int i = 0; i < 1'000; ++i) Tell({NodeReturned{node_}});  // nobody waits
  std::string text;
  fcntl(pipe_[0], F_SETFL, 0);
  while (text.find("log_lost_lines lines=") == std::string::npos) {
    char piece[4'096];
    const ssize_t n = read(pipe_[0], piece, sizeof piece);
    ASSERT_GT(n, 0);
    text.append(piece, static_cast<size_t>(n));
  }
  const auto told = std::ranges::count(text, '\n');
  EXPECT_LT(told, 500);
}

TEST_F(EventLogTest, EndsThoughNobodyReads) {
  fcntl(pipe_[1], F_SETPIPE_SZ, 4'096);
  Open(LogFormat::kText);
  for (int i = 0; i < 1'000; ++i) Tell({NodeReturned{node_}});
  log_.reset();
}

}  // namespace
}  // namespace gp
