#include "adapters/outbound/metric_files/metric_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "tests/support/scratch.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr const char* kFirst = "1000 1 1 0.5 0.5 0.5 loss\n";
constexpr const char* kSecond = "2000 2 1 0.4 0.4 0.4 loss\n";
constexpr NodeId kNode{7};

class MetricFilesTest : public testing::Test {
 protected:
  // The ends that the store tells.
  std::vector<MetricMark> Keep(std::vector<MetricPart> parts, NodeId node = kNode) {
    std::promise<std::vector<MetricMark>> told;
    store_.Keep(node, std::move(parts),
                [&](std::vector<MetricMark> marks) { told.set_value(std::move(marks)); });
    return told.get_future().get();
  }
  int64_t KeepOne(int64_t offset, const std::string& bytes, NodeId node = kNode) {
    return Keep({{source_, offset, bytes}}, node).at(0).end;
  }
  size_t Points() {
    size_t points = 0;
    const auto all = store_.Read(source_.job);
    for (const MetricRecords& one : all.value()) points += one.points.size();
    return points;
  }

  const Scratch scratch_;
  const MetricSource source_{{3}, 2, 0};
  MetricFiles store_{scratch_.In("metrics")};
};

TEST_F(MetricFilesTest, WhatFollowsIsAppended) {
  const std::string first = kFirst;
  EXPECT_EQ(KeepOne(0, ""), 0);  // asks
  EXPECT_EQ(KeepOne(0, first), static_cast<int64_t>(first.size()));
  EXPECT_EQ(KeepOne(static_cast<int64_t>(first.size()), kSecond),
            static_cast<int64_t>(first.size() * 2));
  const auto all = store_.Read(source_.job);
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().source, source_);
  EXPECT_EQ(all->front().node, kNode);
  ASSERT_EQ(all->front().points.size(), 2u);
  EXPECT_EQ(all->front().points[1].last, 0.4);
}

// A message that comes twice, or after one that was lost.
TEST_F(MetricFilesTest, WhatDoesNotFollowIsIgnored) {
  const auto size = static_cast<int64_t>(std::string(kFirst).size());
  KeepOne(0, kFirst);
  EXPECT_EQ(KeepOne(0, kFirst), size);
  EXPECT_EQ(KeepOne(size + 100, kSecond), size);
  EXPECT_EQ(Points(), 1u);
}

TEST_F(MetricFilesTest, ANodeCannotChangeWhatAnotherOneHasSent) {
  KeepOne(0, kFirst);
  EXPECT_EQ(KeepOne(0, "", {8}), 0);
  KeepOne(0, kSecond, {8});
  const auto all = store_.Read(source_.job);
  ASSERT_EQ(all->size(), 2u);
  for (const MetricRecords& one : *all)
    EXPECT_EQ(one.points.front().step, one.node == kNode ? 1 : 2);
}

TEST_F(MetricFilesTest, RanksAndAttemptsComeInOrder) {
  Keep({{{{3}, 10, 0}, 0, kFirst}, {{{3}, 2, 1}, 0, kFirst}, {{{3}, 2, 0}, 0, kFirst}});
  const auto all = store_.Read({3});
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].source.rank, 0);
  EXPECT_EQ((*all)[1].source.rank, 1);
  EXPECT_EQ((*all)[2].source.attempt, 10);
}

TEST_F(MetricFilesTest, WhatFollowsAnEndIsRead) {
  const auto size = static_cast<int64_t>(std::string(kFirst).size());
  const MetricEnds::key_type place{source_, kNode};
  KeepOne(0, kFirst);
  auto fresh = store_.ReadAfter(source_.job, {}, 0);
  ASSERT_EQ(fresh->size(), 1u);
  EXPECT_EQ(fresh->front().source, source_);
  EXPECT_EQ(fresh->front().end, size);
  EXPECT_TRUE(store_.ReadAfter(source_.job, {{place, size}}, 0)->empty());
  KeepOne(size, std::string("link run https://a/1\n") + kSecond);
  fresh = store_.ReadAfter(source_.job, {{place, size}}, 0);
  ASSERT_EQ(fresh->size(), 1u);
  ASSERT_EQ(fresh->front().points.size(), 1u);
  EXPECT_EQ(fresh->front().points[0].step, 2);
  EXPECT_EQ(fresh->front().links, (std::vector<JobLink>{{"run", "https://a/1"}}));
  EXPECT_EQ(store_.Read(source_.job)->front().links.size(), 1u);
}

TEST_F(MetricFilesTest, AnEndThatIsNoneIsRefused) {
  const MetricEnds::key_type place{source_, kNode};
  KeepOne(0, kFirst);
  const auto fresh = store_.ReadAfter(source_.job, {{place, 3}}, 0);
  ASSERT_FALSE(fresh.has_value());
  EXPECT_EQ(fresh.error().code, ErrorCode::kInvalidArgument);
  // The node sends again what a lost disk had.
  EXPECT_TRUE(store_.ReadAfter(source_.job, {{place, 5'000}}, 0)->empty());
  EXPECT_TRUE(store_.ReadAfter({99}, {}, 0)->empty());
}

TEST_F(MetricFilesTest, PiecesHaveALimitAndTogetherAllLines) {
  std::string part;
  int lines = 0;
  for (; part.size() < (60 << 10); ++lines) part += kFirst;
  const auto size = static_cast<int64_t>(part.size());
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 4; ++i) Keep({{{{3}, 2, rank}, i * size, part}});
  }
  MetricEnds ends;
  int pieces = 0;
  int points = 0;
  while (true) {
    const auto fresh = store_.ReadAfter(source_.job, ends, 0);
    if (fresh->empty()) break;
    for (const MetricRecords& one : *fresh) {
      ends[{one.source, one.node}] = one.end;
      points += static_cast<int>(one.points.size());
      EXPECT_LE(one.points.size(), (64u << 10) / std::string(kFirst).size());
    }
    ++pieces;
  }
  EXPECT_EQ(points, 8 * lines);
  EXPECT_GT(pieces, 7);
}

TEST_F(MetricFilesTest, SmallPartsOfManySourcesComeTogether) {
  for (int rank = 0; rank < 3; ++rank) Keep({{{{3}, 2, rank}, 0, kFirst}});
  EXPECT_EQ(store_.ReadAfter({3}, {}, 64 << 10)->size(), 3u);
  EXPECT_EQ(store_.ReadAfter({3}, {}, std::string(kFirst).size() + 1)->size(), 2u);
}

TEST_F(MetricFilesTest, AnotherStoreGoesOnWithTheFiles) {
  KeepOne(0, kFirst);
  store_.Stop();
  MetricFiles next(scratch_.In("metrics"));
  EXPECT_EQ(next.Read(source_.job)->size(), 1u);
}

TEST_F(MetricFilesTest, AForgottenJobLeavesNothing) {
  KeepOne(0, kFirst);
  store_.OnCommit({}, {.events = {JobForgotten{source_.job}}});
  KeepOne(0, "", {9});  // one thing after another
  EXPECT_EQ(Points(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("metrics")));
}

// What comes late of a job that is gone does not make its files again.
TEST_F(MetricFilesTest, ThePartOfAForgottenJobIsNotKept) {
  const std::string first = kFirst;
  KeepOne(0, first);
  store_.OnCommit({}, {.events = {JobForgotten{source_.job}}});
  EXPECT_EQ(KeepOne(static_cast<int64_t>(first.size()), kSecond), 0);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("metrics")));
}

TEST_F(MetricFilesTest, AStartRemovesWhatIsOfNoJob) {
  KeepOne(0, kFirst);
  EXPECT_EQ(Points(), 1u);
  store_.OnBegin(State(), {});
  EXPECT_EQ(Points(), 0u);
  EXPECT_EQ(KeepOne(0, ""), 0) << "a job that gets its number begins without metrics";
}

TEST_F(MetricFilesTest, AStartKeepsWhatIsOfAJob) {
  KeepOne(0, kFirst);
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  JobSpec spec;
  spec.program.command = {"train"};
  while (cluster.state().FindJob(source_.job) == nullptr)
    ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
  // Also in another lineage: a journal that lost its last record.
  ASSERT_TRUE(cluster.Execute(StartController{cluster.state().policy, 9, true}));
  store_.OnBegin(cluster.state(), {});
  EXPECT_EQ(Points(), 1u);
}

TEST_F(MetricFilesTest, BeyondTheLimitTheAgentIsNotAskedAgain) {
  KeepOne(0, kFirst);
  const std::string path = scratch_.In("metrics/" + KeyOf(source_.job) + "/2.0.7");
  constexpr int64_t kFull = (int64_t{32} << 20) + 1;
  std::filesystem::resize_file(path, kFull);
  EXPECT_EQ(KeepOne(kFull, kSecond), kFull + static_cast<int64_t>(std::string(kSecond).size()));
  EXPECT_EQ(KeepOne(kFull + 100, kSecond),
            kFull + 100 + static_cast<int64_t>(std::string(kSecond).size()));
  EXPECT_EQ(std::filesystem::file_size(path), static_cast<uintmax_t>(kFull));
}

TEST_F(MetricFilesTest, WhatCannotBeReadIsAnError) {
  std::filesystem::create_directories(scratch_.In("metrics/" + KeyOf(source_.job) + "/2.0.7"));
  const auto read = store_.Read(source_.job);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kInternal);
}

TEST_F(MetricFilesTest, OtherFilesAreNotRead) {
  KeepOne(0, kFirst);
  for (const char* name : {"2.0", "2.0.x", "02.0.7", "2.0.7.1", "-1.0.7", "notes"})
    std::ofstream(scratch_.In("metrics/" + KeyOf(source_.job) + "/" + name)) << kSecond;
  EXPECT_EQ(Points(), 1u);
}

TEST_F(MetricFilesTest, AfterStopNothingIsCalled) {
  store_.Stop();
  store_.Keep(kNode, {{source_, 0, kFirst}}, [](const auto&) { FAIL(); });
  EXPECT_EQ(Points(), 0u);
}

}  // namespace
}  // namespace gp
