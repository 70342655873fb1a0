#include "domain/model/jobs/metric_rule.h"

#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

TEST(MetricRule, AConditionHasANameATestAndANumber) {
  const auto nan = ParseMetricCondition("train/loss is nan");
  ASSERT_TRUE(nan.has_value());
  EXPECT_EQ(nan->name, "train/loss");
  EXPECT_EQ(nan->test, MetricTest::kIsNan);
  const auto above = ParseMetricCondition("  eval/loss   >  1.5e+3 ");
  ASSERT_TRUE(above.has_value());
  EXPECT_EQ(above->name, "eval/loss");
  EXPECT_EQ(above->test, MetricTest::kAbove);
  EXPECT_EQ(above->limit, "1.5e+3");
  EXPECT_EQ(ParseMetricCondition("a < -.5")->test, MetricTest::kBelow);
  for (const char* number : {"0", "-1", "3.", ".5", "1e9", "2E-4", "-0.25e+10"})
    EXPECT_TRUE(ParseMetricCondition(std::string("a > ") + number).has_value()) << number;
}

TEST(MetricRule, WhatIsNoneIsRefusedWithWhatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "is no condition"},
      {"loss", "is no condition"},
      {"loss is nan now", "is no condition"},
      {"loss is inf", "is no condition"},
      {"loss >= 3", "is no condition"},
      {"loss > high", "compares with no number"},
      {"loss > nan", "compares with no number"},
      {"loss > 1e", "compares with no number"},
      {"loss > .", "compares with no number"},
      {"loss > 1,5", "compares with no number"},
      {"loss > --1", "compares with no number"},
      {"lo=ss is nan", "names no metric"},
      {"step > 100", "names no metric"},
      {"loss > 1e999", "compares with no number"},
  };
  for (const auto& [text, why] : rows) {
    const auto condition = ParseMetricCondition(text);
    ASSERT_FALSE(condition.has_value()) << text;
    EXPECT_NE(condition.error().message.find(why), std::string::npos) << condition.error().message;
  }
  EXPECT_FALSE(ParseMetricCondition(std::string(65, 'a') + " is nan").has_value());
  EXPECT_FALSE(ParseMetricCondition("a > " + std::string(41, '1')).has_value());
}

TEST(MetricRule, AJobWithABadOneIsRefused) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.recovery.on_metric = {{"loss is nan", MetricAction::kStop}};
  EXPECT_TRUE(FindProblems(spec).empty());
  spec.recovery.on_metric.push_back({"loss = 3", MetricAction::kStop});
  ASSERT_EQ(FindProblems(spec).size(), 1u);
  EXPECT_EQ(FindProblems(spec)[0].field, "on_metric");
  spec.recovery.on_metric.assign(kMetricRulesMax + 1, {"loss is nan", MetricAction::kStop});
  EXPECT_EQ(FindProblems(spec).size(), 1u);
}

}  // namespace
}  // namespace gp
