#include "adapters/outbound/notify/metric_teller.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/outbound/memory/manual_clock.h"
#include "tests/support/scratch.h"
#include "tests/support/written_file.h"

namespace gp {
namespace {

using TellerJson = nlohmann::json;

constexpr JobId kTold{7};
constexpr NodeId kTeller{3};

// Gives each record once; an end counts records.
class GivenMetrics : public MetricStore {
 public:
  void Keep(NodeId, std::vector<MetricPart>,
            std::function<void(std::vector<MetricMark>)>) override {}
  Result<std::vector<MetricRecords>> Read(JobId job) override { return ReadAfter(job, {}, 0); }
  Result<std::vector<MetricRecords>> ReadAfter(JobId, const MetricEnds& ends, size_t) override {
    const std::lock_guard lock(mutex_);
    std::vector<MetricRecords> fresh;
    for (const MetricRecords& one : all_) {
      const auto known = ends.find({one.source, one.node});
      if (known == ends.end() || known->second < one.end) fresh.push_back(one);
    }
    return fresh;
  }
  void Add(int attempt, int rank, std::vector<MetricPoint> points, NodeId node = kTeller) {
    const std::lock_guard lock(mutex_);
    all_.push_back({{kTold, attempt, rank}, node, std::move(points), {}, ++added_});
  }

 private:
  std::mutex mutex_;
  std::vector<MetricRecords> all_;
  int64_t added_ = 0;
};

class MetricTellerTest : public testing::Test {
 protected:
  // The receiver keeps what it gets, and is away while there is a file of that name.
  void Start(std::map<std::string, std::set<std::string>> where = {},
             Duration every = Duration::Milliseconds(100)) {
    const std::string path = scratch_.In("keep.sh");
    std::ofstream(path) << "#!/bin/sh\ncd " << scratch_.path()
                        << "\n[ -e away ] && echo >> tries && exit 1\ncat >> told\n";
    chmod(path.c_str(), 0755);
    Receiver receiver{.name = "r",
                      .on = {std::string(kJobMetrics)},
                      .where = std::move(where),
                      .way = NotifyWay::kExec,
                      .command = {path},
                      .metrics_every = every};
    teller_.emplace(
        NotifyConfig{}, receiver,
        JobReportSource{&store_, [this](const ReportingQuery& query) { return Jobs(query); }},
        [](LogLevel, const std::string&) {}, clock_);
  }
  Result<std::vector<ReportingJob>> Jobs(const ReportingQuery& query) {
    const std::lock_guard lock(mutex_);
    ++asked_;
    if (query.running) ++asked_for_running_;
    const bool is_meant = (query.running && !is_over_) || query.also.contains(kTold);
    ReportingJob job{
        kTold, {LogLevel::kInfo, std::string(kJobMetrics), {{"job", "job-7"}}}, places_, is_over_};
    std::vector<ReportingJob> found;
    if (is_meant && query.is_wanted(job.line)) found.push_back(job);
    return found;
  }
  void AddPlace(int attempt, int rank) {
    const std::lock_guard lock(mutex_);
    places_.insert({{kTold, attempt, rank}, kTeller});
  }
  void EndJob() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    teller_->NoteEnd(kTold);
  }
  static MetricPoint Point(int64_t step, double value, const std::string& name = "loss") {
    return {name, step, {1'700'000'000'000'000'000}, 1, value, value, value};
  }
  std::vector<TellerJson> Told() const {
    std::vector<TellerJson> told;
    std::istringstream lines(Contents(scratch_.In("told")));
    for (std::string line; std::getline(lines, line);) told.push_back(TellerJson::parse(line));
    return told;
  }
  // Until it has got that many, or for ten seconds.
  bool AwaitTold(size_t count) const {
    return AwaitThat([&] { return Told().size() >= count; });
  }
  template <typename F>
  static bool AwaitThat(F is_so) {
    for (int tries = 0; tries < 1'000; ++tries) {
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  const Scratch scratch_;
  GivenMetrics store_;
  ManualClock clock_;
  std::mutex mutex_;
  bool is_over_ = false;
  MetricPlaces places_{
      {{kTold, 1, 0}, kTeller}, {{kTold, 1, 1}, kTeller}, {{kTold, 2, 1}, kTeller}};
  std::atomic<int> asked_ = 0;
  std::atomic<int> asked_for_running_ = 0;
  std::optional<MetricTeller> teller_;
};

TEST_F(MetricTellerTest, TellsTheNewestValueOfEachMetricOnceAndTheLastOnesAgain) {
  store_.Add(1, 0, {Point(1, 0.5), Point(2, 0.25), Point(2, 0.1, "acc")});
  Start();
  ASSERT_TRUE(AwaitTold(1));
  const TellerJson first = Told()[0];
  EXPECT_EQ(first["type"], "job_metrics");
  EXPECT_EQ(first["data"]["job"], "job-7");
  EXPECT_EQ(first["data"]["last"], false);
  ASSERT_EQ(first["data"]["metrics"].size(), 2u);
  EXPECT_EQ(first["data"]["metrics"][1],
            TellerJson::parse(R"({"name": "loss", "step": 2, "value": 0.25,
                                  "at": "2023-11-14T22:13:20.000Z", "attempt": 1, "rank": 0})"));
  store_.Add(1, 0, {Point(3, 0.125)});
  ASSERT_TRUE(AwaitTold(2));
  EXPECT_EQ(Told()[1]["data"]["metrics"][1]["step"], 3);
  EndJob();
  ASSERT_TRUE(AwaitTold(3));
  EXPECT_EQ(Told()[2]["data"]["last"], true);
  EXPECT_EQ(Told()[2]["data"]["metrics"].size(), 2u);
  teller_.reset();
  EXPECT_EQ(Told().size(), 3u);
}

TEST_F(MetricTellerTest, WhatAReceiverMissedIsReplacedByWhatIsNewer) {
  std::ofstream(scratch_.In("away")) << "";
  store_.Add(1, 0, {Point(1, 0.5)});
  Start();
  ASSERT_TRUE(AwaitThat([&] { return Contents(scratch_.In("tries")).size() >= 2; }));
  store_.Add(1, 0, {Point(2, 0.25)});
  unlink(scratch_.In("away").c_str());
  ASSERT_TRUE(AwaitThat(
      [&] { return !Told().empty() && Told().back()["data"]["metrics"][0]["step"] == 2; }));
  EXPECT_LE(Told().size(), 2u);
}

TEST_F(MetricTellerTest, OfSeveralRanksTheFirstOneCountsAndOfAttemptsTheNewest) {
  store_.Add(1, 1, {Point(9, 0.9)});
  store_.Add(1, 0, {Point(4, 0.4)});
  store_.Add(1, 1, {Point(10, 0.8), Point(10, 1, "only/1")});
  store_.Add(1, 0, {Point(99, 99)}, {8});  // another node
  Start();
  ASSERT_TRUE(AwaitTold(1));
  TellerJson metrics = Told()[0]["data"]["metrics"];
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0]["step"], 4);
  EXPECT_EQ(metrics[1]["rank"], 1);
  store_.Add(2, 1, {Point(3, 0.3)});
  ASSERT_TRUE(AwaitTold(2));
  metrics = Told()[1]["data"]["metrics"];
  EXPECT_EQ(metrics[0]["attempt"], 2);
  EXPECT_EQ(metrics[0]["step"], 3);
}

TEST_F(MetricTellerTest, NanIsNullWithItsName) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  store_.Add(1, 0,
             {Point(1, std::numeric_limits<double>::quiet_NaN(), "a"), Point(1, kInfinity, "b"),
              Point(1, -kInfinity, "c")});
  Start();
  ASSERT_TRUE(AwaitTold(1));
  const TellerJson metrics = Told()[0]["data"]["metrics"];
  for (const auto& [place, name] : {std::pair(0, "nan"), {1, "inf"}, {2, "-inf"}}) {
    EXPECT_TRUE(metrics[place]["value"].is_null());
    EXPECT_EQ(metrics[place]["not_finite"], name);
  }
}

// The attempt has begun after its job was looked up.
TEST_F(MetricTellerTest, WhatIsReadBeforeItsAttemptIsKnownIsToldLater) {
  store_.Add(3, 0, {Point(5, 0.5)});
  Start();
  ASSERT_TRUE(AwaitThat([&] { return asked_ >= 3; }));
  EXPECT_TRUE(Told().empty());
  AddPlace(3, 0);
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(Told()[0]["data"]["metrics"][0]["step"], 5);
}

TEST_F(MetricTellerTest, AnEndLooksForNoOtherJob) {
  store_.Add(1, 0, {Point(1, 0.5)});
  Start({}, Duration::Minutes(60));
  EndJob();
  ASSERT_TRUE(AwaitTold(1));
  EXPECT_EQ(Told()[0]["data"]["last"], true);
  EXPECT_EQ(asked_for_running_.load(), 0);
}

TEST_F(MetricTellerTest, TheEndOfAnotherJobForgetsNothing) {
  store_.Add(1, 0, {Point(1, 0.5)});
  Start({}, Duration::Milliseconds(2'500));
  teller_->NoteEnd({99});
  ASSERT_TRUE(AwaitThat([&] { return asked_for_running_ >= 3; }));
  EXPECT_GT(asked_.load(), asked_for_running_.load());
  EXPECT_EQ(Told().size(), 1u);
}

TEST_F(MetricTellerTest, OtherJobsAreNotTold) {
  store_.Add(1, 0, {Point(1, 0.5)});
  Start({{"job", {"job-8"}}});
  ASSERT_TRUE(AwaitThat([&] { return asked_ >= 3; }));
  EXPECT_TRUE(Told().empty());
}

}  // namespace
}  // namespace gp
