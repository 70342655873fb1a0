#include "domain/faults/trouble.h"

#include <gtest/gtest.h>

#include <set>

namespace gp {
namespace {

std::vector<GpuRemedy> AllRemedies() {
  std::vector<GpuRemedy> all;
  for (int one = 0; one <= static_cast<int>(GpuRemedy::kReboot); ++one)
    all.push_back(static_cast<GpuRemedy>(one));
  return all;
}

TEST(GpuTroubleRecord, AnyThingToRememberKeepsIt) {
  EXPECT_TRUE(gp::IsEmpty({}));
  EXPECT_TRUE(gp::IsEmpty({.is_requested = true, .task_number = 7}))
      << "the number of its newest task alone is nothing to remember";
  const GpuTrouble troubles[] = {
      {.remedy = GpuRemedy::kWatch},
      {.incident = IncidentId{1}},
      {.task = GpuTask::kTest},
      {.hot_at = Instant{1}},
      {.resets = {Instant{1}}},
      {.xids = {{79, Instant{1}}}},
      {.errors = {{13, "ana", 7, Instant{1}}}},
      {.findings = {HealthFinding{}}},
      {.out_of_service_at = Instant{1}},
  };
  for (size_t i = 0; i < std::size(troubles); ++i) EXPECT_FALSE(gp::IsEmpty(troubles[i])) << i;
}

TEST(Remedies, HardwareFailedFromAResetOn) {
  for (const GpuRemedy remedy :
       {GpuRemedy::kNone, GpuRemedy::kWatch, GpuRemedy::kTest, GpuRemedy::kResetWhenIdle})
    EXPECT_FALSE(IsHardwareFailure(remedy)) << Name(remedy);
  for (const GpuRemedy remedy :
       {GpuRemedy::kDrainReset, GpuRemedy::kReset, GpuRemedy::kOperator, GpuRemedy::kReboot})
    EXPECT_TRUE(IsHardwareFailure(remedy)) << Name(remedy);
}

// Reports come in any order and more than once: what they need together may not depend on that.
TEST(Remedies, TogetherTheyDependOnNoOrder) {
  for (const GpuRemedy a : AllRemedies()) {
    EXPECT_EQ(Both(a, a), a);
    EXPECT_EQ(Both(a, GpuRemedy::kNone), a);
    for (const GpuRemedy b : AllRemedies()) {
      EXPECT_EQ(Both(a, b), Both(b, a)) << Name(a) << " " << Name(b);
      EXPECT_GE(Both(a, b), std::max(a, b)) << Name(a) << " " << Name(b);
      EXPECT_EQ(Both(Both(a, b), b), Both(a, b)) << "the same report again";
      for (const GpuRemedy c : AllRemedies()) {
        EXPECT_EQ(Both(Both(a, b), c), Both(a, Both(b, c)))
            << Name(a) << " " << Name(b) << " " << Name(c);
      }
    }
  }
}

TEST(Remedies, AGpuThatNeedsATestDoesNotWorkOnUntilItsReset) {
  EXPECT_EQ(Both(GpuRemedy::kTest, GpuRemedy::kResetWhenIdle), GpuRemedy::kDrainReset);
}

TEST(Remedies, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const GpuRemedy remedy : AllRemedies()) {
    EXPECT_TRUE(names.insert(Name(remedy)).second);
    EXPECT_STRNE(Name(remedy), "?");
  }
}

TEST(DriverAdvices, AreReadAsTheyAreWritten) {
  for (int one = 0; one <= static_cast<int>(DriverAdvice::kRecoverImex); ++one) {
    const auto advice = static_cast<DriverAdvice>(one);
    EXPECT_EQ(ParseDriverAdvice(Name(advice)), advice);
    EXPECT_EQ(Asks(advice), advice > DriverAdvice::kNone);
  }
  for (const char* text : {"", "?", "reset", "GPU-RESET"})
    EXPECT_EQ(ParseDriverAdvice(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gp
