#include "adapters/inbound/api/job_reports.h"

#include <gtest/gtest.h>

#include <limits>

namespace gp {
namespace {

constexpr JobId kReporting{7};
constexpr NodeId kReporter{3};
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

// Gives what a test has put into it, from each end on; an end counts records.
class GivenRecords : public MetricStore {
 public:
  void Keep(NodeId, std::vector<MetricPart>,
            std::function<void(std::vector<MetricMark>)>) override {}
  Result<std::vector<MetricRecords>> Read(JobId job) override { return ReadAfter(job, {}, 0); }
  Result<std::vector<MetricRecords>> ReadAfter(JobId, const MetricEnds& ends, size_t) override {
    std::vector<MetricRecords> fresh;
    for (const auto& [place, all] : records) {
      const auto known = ends.find(place);
      const size_t from = known == ends.end() ? 0 : static_cast<size_t>(known->second);
      if (from >= all.size()) continue;
      MetricRecords next = all[from];
      next.end = static_cast<int64_t>(from) + 1;
      fresh.push_back(std::move(next));
      ++given;
    }
    return fresh;
  }

  std::map<MetricEnds::key_type, std::vector<MetricRecords>> records;
  int given = 0;
};

class JobReportsTest : public testing::Test {
 protected:
  void Add(int attempt, int rank, std::vector<MetricPoint> points, std::vector<JobLink> links = {},
           NodeId node = kReporter) {
    const MetricSource source{kReporting, attempt, rank};
    store_.records[{source, node}].push_back({source, node, std::move(points), std::move(links)});
    places_.insert({source, kReporter});
  }
  static MetricPoint Point(int64_t step, double value, const std::string& name = "loss") {
    return {name, step, {}, 1, value, value, value};
  }
  std::string Told() { return NotFiniteText(reports_.Of(kReporting, places_).value()); }
  std::string Links() {
    std::string text;
    const v1::Job told = reports_.Of(kReporting, places_).value();
    for (const v1::JobLink& one : told.links()) text += one.name() + " " + one.url() + " ";
    return text;
  }

  GivenRecords store_;
  MetricPlaces places_;
  JobReports reports_{&store_};
};

TEST_F(JobReportsTest, TellSinceWhichStepAMetricIsNotFinite) {
  Add(1, 0,
      {Point(1, 0.5), Point(2, kNoNumber), Point(3, 0.4), Point(4, kNoNumber), Point(5, kEndless)});
  Add(1, 0, {Point(5, 0.1, "acc")});
  EXPECT_EQ(Told(), "loss is inf since step 4");
}

TEST_F(JobReportsTest, AreForgottenOnceItIsANumberAgain) {
  Add(1, 0, {Point(1, kNoNumber)});
  EXPECT_EQ(Told(), "loss is nan since step 1");
  Add(1, 0, {Point(2, 0.5)});
  EXPECT_EQ(Told(), "");
}

TEST_F(JobReportsTest, ReadOnlyWhatIsNew) {
  Add(1, 0, {Point(1, kNoNumber)});
  Told();
  Told();
  Add(1, 0, {Point(2, kNoNumber)});
  EXPECT_EQ(Told(), "loss is nan since step 1");
  EXPECT_EQ(store_.given, 2);
}

TEST_F(JobReportsTest, WhatALaterAttemptComputesAgainDoesNotCount) {
  Add(1, 0, {Point(1, 0.5), Point(5, kNoNumber), Point(9, kNoNumber)});
  Add(2, 0, {Point(4, 0.5)});
  EXPECT_EQ(Told(), "");
  Add(2, 0, {Point(6, -kEndless)});
  EXPECT_EQ(Told(), "loss is -inf since step 6");
}

TEST_F(JobReportsTest, AnAttemptThatResumesWithNanGoesOn) {
  Add(1, 0, {Point(1, 0.5), Point(5, kNoNumber), Point(9, kNoNumber)});
  Add(2, 0, {Point(8, kNoNumber)});
  EXPECT_EQ(Told(), "loss is nan since step 5");
  Add(3, 0, {Point(5, kNoNumber)});
  EXPECT_EQ(Told(), "loss is nan since step 5") << "of the third attempt";
  Add(4, 0, {Point(2, kNoNumber)});
  EXPECT_EQ(Told(), "loss is nan since step 2");
}

TEST_F(JobReportsTest, WhatALostNodeSendsLateChangesNothing) {
  Add(2, 0, {Point(4, 0.5)});
  EXPECT_EQ(Told(), "");
  Add(1, 0, {Point(5, kNoNumber)});
  EXPECT_EQ(Told(), "");
}

TEST_F(JobReportsTest, OnlyTheNodeOfTheRankCounts) {
  Add(1, 0, {Point(5, kNoNumber)}, {{"x", "https://a"}}, {8});
  EXPECT_EQ(Told() + Links(), "");
}

// The attempt has begun after its job was looked up.
TEST_F(JobReportsTest, WhatIsReadBeforeItsAttemptIsKnownCountsLater) {
  Add(1, 0, {Point(1, 0.5)});
  Add(2, 0, {Point(5, kNoNumber)}, {{"run", "https://a"}});
  const MetricPlaces all = places_;
  places_.erase({{kReporting, 2, 0}, kReporter});
  EXPECT_EQ(Told() + Links(), "");
  EXPECT_EQ(store_.given, 2) << "what does not count is read once";
  places_ = all;
  EXPECT_EQ(Told(), "loss is nan since step 5");
  EXPECT_EQ(Links(), "run https://a ");
  EXPECT_EQ(store_.given, 3);
}

TEST_F(JobReportsTest, ALookWithALimitIsContinuedByTheNextOne) {
  Add(1, 0, {Point(1, kNoNumber)});
  Add(1, 0, {Point(2, 0.5)});
  EXPECT_EQ(NotFiniteText(reports_.Of(kReporting, places_, 1).value()), "loss is nan since step 1");
  EXPECT_EQ(NotFiniteText(reports_.Of(kReporting, places_, 1).value()), "");
}

TEST_F(JobReportsTest, ThePlacesAreThoseOfAllAttempts) {
  Job job;
  job.id = kReporting;
  job.attempts.resize(2);
  job.attempts[0].number = 1;
  job.attempts[0].ranks.resize(2);
  job.attempts[0].ranks[1].node = kReporter;
  job.attempts[1].number = 2;
  job.attempts[1].ranks.resize(1);
  job.attempts[1].ranks[0].node = NodeId{8};
  EXPECT_EQ(MetricPlacesOf(kReporting, NodesOfAttempts(job)),
            (MetricPlaces{{{kReporting, 1, 0}, NodeId{}},
                          {{kReporting, 1, 1}, kReporter},
                          {{kReporting, 2, 0}, NodeId{8}}}));
}

TEST_F(JobReportsTest, RanksAreCounted) {
  for (const int rank : {3, 1, 2}) Add(1, rank, {Point(rank, rank == 2 ? 0.5 : kNoNumber)});
  const v1::Job told = reports_.Of(kReporting, places_).value();
  ASSERT_EQ(told.not_finite_size(), 1);
  EXPECT_EQ(told.not_finite(0).rank(), 1);
  EXPECT_EQ(told.not_finite(0).since(), 1);
  EXPECT_EQ(told.not_finite(0).ranks(), 2);
}

TEST_F(JobReportsTest, OfSeveralLinksThatOfTheNewestAttemptAndItsFirstRankCounts) {
  Add(1, 0, {}, {{"run", "https://a/1"}, {"run", "https://a/2"}});
  EXPECT_EQ(Links(), "run https://a/2 ");
  Add(2, 1, {}, {{"run", "https://a/3"}});
  EXPECT_EQ(Links(), "run https://a/3 ");
  Add(2, 0, {}, {{"run", "https://a/4"}});
  Add(2, 1, {}, {{"run", "https://a/5"}, {"logs", "https://b"}});
  Add(1, 0, {}, {{"run", "https://a/6"}});
  EXPECT_EQ(Links(), "run https://a/4 logs https://b ");
}

TEST_F(JobReportsTest, AJobHasEightLinks) {
  for (int rank = 0; rank < 9; ++rank)
    Add(1, rank, {}, {{std::string(1, static_cast<char>('i' - rank)), "https://a"}});
  const v1::Job told = reports_.Of(kReporting, places_).value();
  ASSERT_EQ(told.links_size(), 8);
  EXPECT_EQ(told.links(0).name(), "i");
  EXPECT_EQ(told.links(7).name(), "b");
}

TEST_F(JobReportsTest, WithoutAStoreThereAreNone) {
  JobReports none(nullptr);
  EXPECT_EQ(none.Of(kReporting, {{{kReporting, 1, 0}, kReporter}}).value().ByteSizeLong(), 0u);
}

}  // namespace
}  // namespace gp
