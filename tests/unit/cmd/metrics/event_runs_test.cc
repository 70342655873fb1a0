#include "cmd/metrics/event_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cmd/metrics/event_file.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kName = "events.out.tfevents.1700000000.gpu-platform";

class EventRunsTest : public testing::Test {
 protected:
  EventRunsTest() {
    char path[] = "/tmp/event_runs_XXXXXX";
    directory_ = mkdtemp(path);
    job_.set_id("job-7");
    job_.mutable_spec()->set_name("llama");
    job_.set_submitted_at("2023-11-14T22:13:20Z");
  }
  ~EventRunsTest() override { fs::remove_all(directory_); }

  void Add(int rank, int attempt, int64_t step) {
    v1::MetricSeries* series = reply_.add_series();
    series->set_name("loss");
    series->set_rank(rank);
    v1::MetricCurvePoint* point = series->add_points();
    point->set_step(step);
    point->set_attempt(attempt);
    point->set_at("2023-11-14T22:13:21.500Z");
    point->set_last(0.5);
  }
  EventRuns Open(bool by_attempt = false) {
    return EventRuns::Open(directory_, job_, by_attempt).value();
  }
  // Below the directory.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& one : fs::recursive_directory_iterator(directory_)) {
      if (!one.is_directory()) files.push_back(one.path().lexically_relative(directory_));
    }
    std::ranges::sort(files);
    return files;
  }
  std::string Bytes(const std::string& file) const {
    std::ostringstream bytes;
    bytes << std::ifstream(directory_ + "/" + file, std::ios::binary).rdbuf();
    return bytes.str();
  }
  static std::string Loss(int64_t step) { return ToRecord({1'700'000'001.5, step, "loss", 0.5F}); }

  std::string directory_;
  v1::Job job_;
  v1::GetJobMetricsReply reply_;
  const std::string file_ = "job-7-llama/" + kName;
  const std::string head_ = EventFileHead(1'700'000'000);
};

TEST_F(EventRunsTest, AJobIsARunWithItsFurtherRanksBelow) {
  Add(0, 1, 3);
  Add(1, 1, 3);
  EventRuns runs = Open();
  ASSERT_TRUE(runs.Replace(PointsOf(reply_)));
  EXPECT_THAT(Files(), ElementsAre(file_, "job-7-llama/rank1/" + kName));
  EXPECT_EQ(Bytes(file_), head_ + Loss(3));
  EXPECT_THAT(runs.files(),
              ElementsAre(directory_ + "/" + file_, directory_ + "/job-7-llama/rank1/" + kName));
}

TEST_F(EventRunsTest, AJobWithoutANameIsItsId) {
  job_.mutable_spec()->clear_name();
  Add(0, 1, 3);
  ASSERT_TRUE(Open().Replace(PointsOf(reply_)));
  EXPECT_THAT(Files(), ElementsAre("job-7/" + kName));
}

TEST_F(EventRunsTest, AttemptsMayBeRunsOfTheirOwn) {
  Add(0, 1, 3);
  Add(1, 2, 2);
  ASSERT_TRUE(Open(true).Replace(PointsOf(reply_)));
  EXPECT_THAT(Files(),
              ElementsAre("job-7-llama/attempt1/" + kName, "job-7-llama/attempt2/rank1/" + kName));
}

TEST_F(EventRunsTest, ASecondCallReplacesTheFirst) {
  Add(0, 1, 3);
  ASSERT_TRUE(Open().Replace(PointsOf(reply_)));
  ASSERT_TRUE(Open().Replace(PointsOf(reply_)));
  EXPECT_EQ(Bytes(file_), head_ + Loss(3));
}

TEST_F(EventRunsTest, RunsWithoutPointsGoAndOtherFilesStay) {
  Add(1, 2, 3);
  ASSERT_TRUE(Open(true).Replace(PointsOf(reply_)));
  std::ofstream(directory_ + "/job-7-llama/attempt2/notes") << "mine";
  reply_.Clear();
  Add(0, 1, 3);
  ASSERT_TRUE(Open().Replace(PointsOf(reply_)));
  EXPECT_THAT(Files(), ElementsAre("job-7-llama/attempt2/notes", file_));
  EXPECT_FALSE(fs::exists(directory_ + "/job-7-llama/attempt2/rank1"));
}

TEST_F(EventRunsTest, FilesGrowUntilTheyAreReplaced) {
  Add(0, 1, 3);
  ASSERT_TRUE(Open().Replace(PointsOf(reply_)));
  EventRuns runs = Open();
  ASSERT_TRUE(runs.Append(PointsOf(reply_)));
  EXPECT_EQ(Bytes(file_), head_ + Loss(3)) << "not what the call before has written";
  reply_.Clear();
  Add(0, 1, 4);
  ASSERT_TRUE(runs.Append(PointsOf(reply_)));
  EXPECT_EQ(Bytes(file_), head_ + Loss(3) + Loss(4));
  ASSERT_TRUE(runs.Replace(PointsOf(reply_)));
  EXPECT_EQ(Bytes(file_), head_ + Loss(4));
}

TEST_F(EventRunsTest, WhatIsNoDirectoryIsRefused) {
  const std::string file = directory_ + "/file";
  std::ofstream(file) << "text";
  for (const std::string& place : {file, file + "/below", std::string()}) {
    const auto runs = EventRuns::Open(place, job_, false);
    ASSERT_FALSE(runs) << place;
    EXPECT_EQ(runs.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(runs.error().message, HasSubstr("--tensorboard " + place));
  }
}

}  // namespace
}  // namespace gp
