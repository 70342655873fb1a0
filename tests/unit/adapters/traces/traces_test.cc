#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include "adapters/outbound/traces/job_spans.h"
#include "adapters/outbound/traces/trace_exporter.h"
#include "domain/cluster/nodes/report_of.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using Json = nlohmann::json;

constexpr const char* kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class Traces : public testing::Test {
 protected:
  Traces() { cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0})); }

  JobId Submit(std::map<std::string, std::string> environment = {}) {
    JobSpec spec;
    spec.name = "train";
    spec.program.command = {"sh", "-c", "hidden argument"};
    spec.program.environment = std::move(environment);
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    return JobId{cluster_.state().jobs.last};
  }
  std::vector<Event> Do(const Command& command) {
    cluster_.Advance(Duration::Seconds(10));
    const auto events = cluster_.Execute(command);
    EXPECT_TRUE(events) << events.error().message;
    return events.value_or(std::vector<Event>{});
  }
  std::vector<Event> Report(JobId job, std::optional<LeaseEnd> outcome) {
    return Do(ReportOf(cluster_.state(), cluster_.now(),
                       cluster_.state().FindJob(job)->leases.front(), outcome));
  }
  std::vector<Event> RunToItsEnd(JobId job) {
    cluster_.Advance(Duration::Seconds(10));
    cluster_.Pass();
    Report(job, std::nullopt);
    return Report(job, LeaseEnd::kExited);
  }
  const Job& job(JobId id) const { return *cluster_.state().FindJob(id); }

  TestCluster cluster_;
};

TEST_F(Traces, AParentIsReadAsItsStandardSays) {
  const auto parent = ParseTraceParent(kParent);
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->trace, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(parent->span, "00f067aa0ba902b7");
  EXPECT_TRUE(ParseTraceParent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later"))
      << "later versions may have more";
  for (const char* text : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
                           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                           "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(ParseTraceParent(text)) << text;
  }
}

TEST_F(Traces, TellsTheLifeOfAJob) {
  const JobId id = Submit();
  RunToItsEnd(id);
  const std::vector<Span> spans = SpansOf(cluster_.state(), job(id));
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].name, "job");
  EXPECT_EQ(spans[1].name, "wait");
  EXPECT_EQ(spans[2].name, "attempt");
  std::set<std::string> ids;
  for (const Span& span : spans) {
    EXPECT_EQ(span.trace, spans[0].trace);
    EXPECT_EQ(span.trace.size(), 32U);
    EXPECT_EQ(span.id.size(), 16U);
    EXPECT_EQ(span.parent, &span == &spans[0] ? "" : spans[0].id);
    EXPECT_FALSE(span.is_error) << span.name;
    ids.insert(span.id);
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(spans[0].begin, job(id).submitted_at);
  EXPECT_EQ(spans[0].end, job(id).ended_at);
  EXPECT_EQ(spans[1].end, spans[2].begin);
  EXPECT_EQ(spans[1].end - spans[1].begin, Duration::Seconds(10));
  ASSERT_EQ(spans[2].events.size(), 1U);
  EXPECT_EQ(spans[2].events[0].name, "started");
  EXPECT_EQ(SpansOf(cluster_.state(), job(id))[1].id, spans[1].id)
      << "the same when it is sent again";
}

TEST_F(Traces, EachAttemptHasItsWaiting) {
  const JobId id = Submit();
  cluster_.Pass();
  Report(id, std::nullopt);
  const std::vector<Event> failed = Report(id, LeaseEnd::kCouldNotStart);
  ASSERT_FALSE(failed.empty());
  if (!IsTerminal(job(id).state)) Do(StopJob{id, true});
  const std::vector<Span> spans = SpansOf(cluster_.state(), job(id));
  EXPECT_EQ(spans.front().name, "job");
  Instant at = job(id).submitted_at;
  for (size_t i = 1; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].begin, at) << spans[i].name << ": there is nothing between two";
    at = spans[i].end;
    EXPECT_EQ(spans[i].is_error, spans[i].name == "attempt");
  }
  EXPECT_EQ(at, job(id).ended_at);
}

TEST_F(Traces, AJobMayBeAPartOfATrace) {
  const JobId one = Submit({{"TRACEPARENT", kParent}, {"SECRET", "hidden variable"}});
  RunToItsEnd(one);
  const JobId other = Submit({{"TRACEPARENT", kParent}});
  RunToItsEnd(other);
  const std::vector<Span> spans = SpansOf(cluster_.state(), job(one));
  EXPECT_EQ(spans[0].trace, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(spans[0].parent, "00f067aa0ba902b7");
  EXPECT_NE(spans[0].id, SpansOf(cluster_.state(), job(other))[0].id);
  EXPECT_EQ(ToOtlp(spans, "1").find("hidden"), std::string::npos);
}

TEST_F(Traces, IsWhatCollectorsRead) {
  Span span;
  span.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  span.id = "00f067aa0ba902b7";
  span.name = "job";
  span.begin = Instant{1'700'000'000'000'000'001};
  span.end = Instant{1'700'000'000'000'000'002};
  span.attributes = {{"a", std::string("b")},
                     {"n", int64_t{7}},
                     {"is", true},
                     {"all", std::vector<std::string>{"x"}}};
  span.is_error = true;
  span.message = "\xff";
  const Json document = Json::parse(ToOtlp({span}, "1.2"));
  const Json& resource = document["resourceSpans"][0];
  EXPECT_EQ(resource["resource"]["attributes"][0],
            Json::parse(R"({"key": "service.name", "value": {"stringValue": "gpu-platform"}})"));
  const Json& told = resource["scopeSpans"][0]["spans"][0];
  EXPECT_EQ(told["startTimeUnixNano"], "1700000000000000001") << "whole, as a text";
  EXPECT_FALSE(told.contains("parentSpanId"));
  EXPECT_EQ(told["status"]["code"], 2);
  EXPECT_EQ(told["attributes"][1], Json::parse(R"({"key": "n", "value": {"intValue": "7"}})"));
  EXPECT_EQ(told["attributes"][3],
            Json::parse(
                R"({"key": "all", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}})"));
}

TEST_F(Traces, ACollectorHasAPath) {
  EXPECT_EQ(ParseCollector("http://127.0.0.1:4318")->target, "/v1/traces");
  EXPECT_EQ(ParseCollector("https://otel.example.org/v1/traces?key=7")->target, "/v1/traces?key=7");
  EXPECT_FALSE(ParseCollector("127.0.0.1:4318"));
}

// Nobody listens: the traces are reported as lost, and nothing waits.
TEST_F(Traces, ACollectorThatIsAwayHoldsUpNothing) {
  std::vector<std::string> warnings;
  {
    TraceExporter exporter(
        {.collector = *ParseCollector("http://127.0.0.1:1"),
         .version = "1",
         .waiting_max = 7,
         .say = [&](LogLevel, const std::string& text) { warnings.push_back(text); }});
    for (int i = 0; i < 4; ++i)
      exporter.OnCommit(cluster_.state(), {.events = RunToItsEnd(Submit())});
  }
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("traces: 127.0.0.1: "), std::string::npos) << warnings[0];
  int lost = 0;
  for (const std::string& text : warnings) {
    if (text.ends_with(" spans are lost")) lost += std::stoi(text.substr(text.find(' ')));
  }
  EXPECT_EQ(lost, 12) << "each of them is accounted for";
}

}  // namespace
}  // namespace gp
