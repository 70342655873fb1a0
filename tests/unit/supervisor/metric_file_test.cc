#include "supervisor/output/metric_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "supervisor/records/job_link.h"
#include "supervisor/records/metric_record.h"
#include "tests/support/scratch.h"
#include "tests/support/written_file.h"

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class MetricFileTest : public testing::Test {
 protected:
  // `at_s`: seconds since the boot.
  void Take(const std::string& name, int64_t step, double value, double at_s) {
    const auto at_ns = static_cast<int64_t>(at_s * 1e9);
    file_.WriteDue(at_ns);
    const MetricFile::Moment now{{1'000 * kSecond + at_ns}, at_ns};
    ASSERT_TRUE(file_.Take(name, step, value, now));
    file_.FinishReport(now);
  }
  std::vector<MetricPoint> Written() { return ParseMetricRecords(Contents(path_)); }

  const Scratch scratch_;
  std::string path_ = scratch_.In("0.metrics");
  MetricFile file_{path_};
};

TEST_F(MetricFileTest, ValuesOfASecondAreOnePoint) {
  Take("loss", 1, 3.0, 10.0);
  Take("loss", 2, 1.0, 10.5);
  Take("loss", 3, 2.0, 10.9);
  Take("loss", 4, 0.5, 11.0);
  file_.Finish();
  const auto points = Written();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].step, 3);
  EXPECT_EQ(points[0].count, 3);
  EXPECT_EQ(points[0].min, 1.0);
  EXPECT_EQ(points[0].max, 3.0);
  EXPECT_EQ(points[0].last, 2.0);
  EXPECT_EQ(points[0].at.ns, 1'010'900'000'000);
  EXPECT_EQ(points[1].last, 0.5);
}

TEST_F(MetricFileTest, NothingIsWrittenBeforeItIsDue) {
  Take("loss", 1, 3.0, 10.0);
  EXPECT_EQ(file_.NextAtNs(), 11 * kSecond);
  file_.WriteDue(11 * kSecond - 1);
  EXPECT_EQ(Written().size(), 0u);
  file_.WriteDue(11 * kSecond);
  EXPECT_EQ(Written().size(), 1u);
  EXPECT_EQ(file_.NextAtNs(), INT64_MAX);
}

TEST_F(MetricFileTest, TheFirstNanIsAPointOfItsOwn) {
  Take("loss", 1, 3.0, 10.0);
  Take("loss", 2, kNan, 10.1);
  Take("loss", 3, kNan, 10.2);
  Take("loss", 4, kNan, 10.3);
  file_.Finish();
  const auto points = Written();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].last, 3.0);
  EXPECT_EQ(points[1].step, 2);
  EXPECT_TRUE(std::isnan(points[1].last));
  EXPECT_TRUE(std::isnan(points[1].max));
  EXPECT_EQ(points[2].step, 4);
  EXPECT_EQ(points[2].count, 2);
}

TEST_F(MetricFileTest, TheReportOfTheFirstNanIsWrittenWhole) {
  Take("lr", 1, 0.1, 10.0);
  const MetricFile::Moment now{{1'011 * kSecond}, 11 * kSecond};
  file_.WriteDue(now.boot_ns);
  EXPECT_TRUE(file_.Take("loss", 2, kNan, now));
  EXPECT_TRUE(file_.Take("lr", 2, 0.2, now));
  EXPECT_EQ(Written().size(), 1u);
  file_.FinishReport(now);
  const auto points = Written();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_TRUE(std::isnan(points[1].last));
  EXPECT_EQ(points[2].last, 0.2);
  EXPECT_EQ(points[1].at, points[2].at);
  file_.Finish();
  EXPECT_EQ(Written().size(), 3u);
}

TEST_F(MetricFileTest, ASeriesThatWasWrittenWithANanHasItsOwnFirstNan) {
  const auto report = [&](int64_t step, double loss, double norm, int64_t at_ns) {
    const MetricFile::Moment now{{1'000 * kSecond + at_ns}, at_ns};
    EXPECT_TRUE(file_.Take("loss", step, loss, now));
    EXPECT_TRUE(file_.Take("norm", step, norm, now));
    file_.FinishReport(now);
  };
  report(1, 1.0, 1.0, 10 * kSecond);
  report(2, kNan, 2.0, 10 * kSecond + 1);
  report(3, kNan, kNan, 10 * kSecond + 2);
  report(4, kNan, kNan, 10 * kSecond + 3);
  file_.Finish();
  for (const MetricPoint& point : Written())
    if (point.name == "norm" && std::isnan(point.last)) {
      EXPECT_EQ(point.step, 3);
      return;
    }
  ADD_FAILURE() << "its NaN is not there";
}

// Nor does a value that comes with it.
TEST_F(MetricFileTest, ValuesThatTurnAllTheTimeDoNotFlood) {
  for (int i = 0; i < 1'000; ++i) {
    Take("loss", i, i % 2 == 0 ? kNan : 1.0, 10 + i * 0.001);
    Take("lr", i, i, 10 + i * 0.001);
  }
  file_.Finish();
  EXPECT_LE(Written().size(), 8u);
}

// A point stands for a thousandth of the time so far, between a second and a minute.
TEST_F(MetricFileTest, PointsOfALongJobAreRarer) {
  const int64_t days_s = 3 * 86'400;
  for (int64_t s = 1; s <= days_s; s += 1) Take("loss", s, 1.0, static_cast<double>(s));
  const auto points = Written();
  EXPECT_GT(points.size(), 1'000u + 4'000u);
  EXPECT_LT(points.size(), 1'000u + 4'200u + static_cast<size_t>(days_s) / 60);
  int64_t values = 0;
  for (const MetricPoint& point : points) values += point.count;
  EXPECT_NEAR(static_cast<double>(values), static_cast<double>(days_s), 61);
  EXPECT_EQ(points.back().count, 60);
}

TEST_F(MetricFileTest, OneNameTooManyIsRefused) {
  for (size_t i = 0; i < kMetricsMax; ++i) Take("m" + std::to_string(i), 1, 1.0, 1.0);
  EXPECT_FALSE(file_.Take("more", 1, 1.0, {{}, kSecond}));
  Take("m1", 2, 2.0, 1.1);
}

TEST_F(MetricFileTest, ANewLinkIsWrittenAtOnce) {
  EXPECT_TRUE(file_.TakeLink({"run", "https://a/1"}));
  EXPECT_TRUE(file_.TakeLink({"run", "https://a/1"}));
  Take("loss", 1, 1.0, 1.0);
  EXPECT_TRUE(file_.TakeLink({"run", "https://a/2"}));
  file_.Finish();
  EXPECT_EQ(ParseLinkRecords(Contents(path_)),
            (std::vector<JobLink>{{"run", "https://a/1"}, {"run", "https://a/2"}}));
  EXPECT_EQ(Written().size(), 1u);
}

TEST_F(MetricFileTest, LinksHaveALimit) {
  for (size_t i = 0; i < kLinksMax; ++i)
    EXPECT_TRUE(file_.TakeLink({"l" + std::to_string(i), "https://a"}));
  EXPECT_FALSE(file_.TakeLink({"more", "https://a"}));
  int taken = 0;
  for (int i = 0; i < 1'000; ++i) taken += file_.TakeLink({"l0", "https://a/" + std::to_string(i)});
  EXPECT_EQ(taken, 64 - static_cast<int>(kLinksMax));
  EXPECT_EQ(ParseLinkRecords(Contents(path_)).size(), 64u);
}

TEST_F(MetricFileTest, WithoutADirectoryItTellsTheLoss) {
  MetricFile nowhere(scratch_.In("none/0.metrics"));
  ASSERT_TRUE(nowhere.Take("loss", 1, 1.0, {{}, kSecond}));
  nowhere.Finish();
  EXPECT_EQ(nowhere.last_error(), ENOENT);
}

}  // namespace
}  // namespace gp
