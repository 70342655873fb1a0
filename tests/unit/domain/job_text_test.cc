#include "domain/model/jobs/job_text.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(JobText, WordsRoundTrip) {
  for (const auto& word : kIsolationWords) {
    EXPECT_EQ(ToText(word.value), word.text);
    EXPECT_EQ(IsolationFromText(word.text), word.value);
  }
  for (const auto& word : kTopologyLevelWords) {
    EXPECT_EQ(ToText(word.value), word.text);
    EXPECT_EQ(TopologyLevelFromText(word.text), word.value);
  }
  for (const auto& word : kLeaseLossWords) {
    EXPECT_EQ(ToText(word.value), word.text);
    EXPECT_EQ(LeaseLossFromText(word.text), word.value);
  }
}

TEST(JobText, UnknownWordsNameTheRest) {
  EXPECT_EQ(IsolationFromText("mips").error().message,
            "\"mips\" is not one of exclusive, timeslice, mps, mig — did you mean \"mps\"?");
  EXPECT_EQ(LeaseLossFromText("").error().message, "\"\" is not one of default, stop, continue");
}

TEST(JobText, SharesRoundTrip) {
  for (int share = 1; share <= kShareMax; ++share) {
    EXPECT_EQ(ShareFromText(ShareToText(share)), share);
  }
  EXPECT_EQ(ShareToText(500), "0.5");
  EXPECT_EQ(ShareToText(125), "0.125");
  EXPECT_EQ(ShareToText(10), "0.01");
  EXPECT_EQ(ShareToText(1000), "1");
}

TEST(JobText, SharesThatAreNone) {
  for (const std::string_view text :
       {"",       "0",     "0.0", "0%", "1.001", "2",    "101%",
        "0.0005", "0.05%", ".5",  "5.", "00.5",  "-0.5", "+0.5",
        "0.5 ",   "5e-1",  "0,5", "%",  "half",  "nan",  "99999999999999999999",
        "0.5%%"}) {
    EXPECT_FALSE(ShareFromText(text).has_value()) << text;
  }
}

TEST(JobText, PrioritiesRoundTrip) {
  for (int priority = 0; priority <= kPriorityMax; ++priority) {
    EXPECT_EQ(PriorityFromText(PriorityToText(priority)), priority);
  }
  EXPECT_EQ(PriorityToText(750), "high");
  EXPECT_FALSE(PriorityFromText("1001").has_value());
  EXPECT_FALSE(PriorityFromText("-1").has_value());
  EXPECT_FALSE(PriorityFromText("High").has_value());
}

}  // namespace
}  // namespace gp
