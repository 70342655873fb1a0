#include "cmd/metrics/metric_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace gp {
namespace {

class MetricLinesTest : public testing::Test {
 protected:
  v1::MetricCurvePoint* Add(const std::string& name, int64_t step, int rank = 0, int attempt = 1) {
    v1::MetricSeries* series = reply_.add_series();
    series->set_name(name);
    series->set_rank(rank);
    v1::MetricCurvePoint* point = series->add_points();
    point->set_step(step);
    point->set_at("2026-03-01T12:00:00.500Z");
    point->set_attempt(attempt);
    point->set_count(1);
    return point;
  }

  v1::GetJobMetricsReply reply_;
};

TEST_F(MetricLinesTest, ValuesThatWereReportedTogetherAreOneLine) {
  Add("loss", 7)->set_last(0.52);
  Add("lr", 7)->set_last(0.0003);
  Add("lr", 8)->set_not_finite("nan");
  EXPECT_EQ(ToTextLines("job-1", PointsOf(reply_)),
            "2026-03-01T12:00:00.500Z job-1 step 7 loss=0.52 lr=0.0003\n"
            "2026-03-01T12:00:00.500Z job-1 step 8 lr=nan\n");
}

TEST_F(MetricLinesTest, TheSameMetricTwiceIsTwoLines) {
  Add("loss", 7)->set_last(1);
  *reply_.mutable_series(0)->add_points() = reply_.series(0).points(0);
  EXPECT_EQ(ToTextLines("job-1", PointsOf(reply_)),
            "2026-03-01T12:00:00.500Z job-1 step 7 loss=1\n"
            "2026-03-01T12:00:00.500Z job-1 step 7 loss=1\n");
}

TEST_F(MetricLinesTest, FurtherAttemptsAndRanksAreNamed) {
  Add("loss", 7, 0, 2)->set_last(1);
  Add("loss", 7, 3, 2)->set_last(2);
  EXPECT_EQ(ToTextLines("job-1", PointsOf(reply_)),
            "2026-03-01T12:00:00.500Z job-1 step 7 attempt 2 loss=1\n"
            "2026-03-01T12:00:00.500Z job-1 step 7 attempt 2 rank 3 loss=2\n");
}

TEST_F(MetricLinesTest, CsvHasAllDigits) {
  v1::MetricCurvePoint* point = Add("loss", 7);
  point->set_last(0.123456789);
  point->set_min(0.1);
  Add("lr", 7)->set_not_finite("-inf");
  EXPECT_EQ(CsvHeader() + ToCsvLines(PointsOf(reply_)),
            "metric,rank,attempt,step,at,count,min,max,last\n"
            "loss,0,1,7,2026-03-01T12:00:00.500Z,1,0.1,,0.123456789\n"
            "lr,0,1,7,2026-03-01T12:00:00.500Z,1,,,-inf\n");
}

TEST_F(MetricLinesTest, JsonHasAnObjectALine) {
  Add("loss", 7)->set_last(0.5);
  const std::string text = ToJsonLines("job-1", PointsOf(reply_));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(line["job"], "job-1");
  EXPECT_EQ(line["name"], "loss");
  EXPECT_EQ(line["rank"], 0);
  EXPECT_EQ(line["step"], 7);
  EXPECT_EQ(line["last"], 0.5);
}

TEST_F(MetricLinesTest, NoPointsAreNoLines) { EXPECT_EQ(ToTextLines("job-1", {}), ""); }

}  // namespace
}  // namespace gp
