#include "application/agent/gpu_keeper.h"

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"

namespace gp {
namespace {

class FakeWatch : public GpuWatch {
 public:
  std::vector<GpuReading> readings;
  std::vector<XidSighting> xids;
  std::vector<GpuReading> Latest() override { return readings; }
  std::vector<XidSighting> TakeXids() override { return std::exchange(xids, {}); }
  int EventDescriptor() const override { return -1; }
};

class FakeCare : public GpuCare {
 public:
  std::vector<uint64_t> begun;
  std::vector<GpuCareResult> results;
  void Begin(uint64_t number, int, GpuCareKind) override { begun.push_back(number); }
  std::vector<GpuCareResult> Results() override { return results; }
  void KeepOnly(const std::vector<uint64_t>&) override {}
  int EventDescriptor() const override { return -1; }
};

class GpuKeeperTest : public testing::Test {
 protected:
  GpuKeeperTest() { Warm(40); }
  void Warm(int temperature_c) {
    GpuHealth health;
    health.temperature_c = temperature_c;
    watch_.readings = {{health, 0, ""}};
  }
  static GpuKeeperOptions Options() {
    GpuKeeperOptions options;
    options.heat_limits = {{87, 92}};
    return options;
  }

  FakeWatch watch_;
  FakeCare care_;
  ManualClock clock_;
  GpuKeeper keeper_{Options(), watch_, care_, clock_};
};

TEST_F(GpuKeeperTest, MoreReportsThanAMessageTakesAreToldInSeveralAndOnce) {
  for (int burst = 0; burst < 150; ++burst) {
    for (int i = 0; i < 10; ++i) watch_.xids.push_back({0, 100 + burst, {}, {}, {}});
    keeper_.Look();
  }
  size_t told = 0;
  uint64_t last = 0;
  for (uint64_t message = 1; keeper_.HasNews(); ++message) {
    const GpuNews news = keeper_.NewsFor(message);
    EXPECT_LE(news.signals.size(), 1'000u);
    for (const FaultSignal& signal : news.signals) {
      EXPECT_GT(signal.number, last);
      last = signal.number;
      ++told;
    }
  }
  EXPECT_EQ(told, 1'500u);
}

// By the wall clock the flood of ten minutes ago has not begun yet.
TEST_F(GpuKeeperTest, AClockThatIsSteppedBackSilencesNoError) {
  for (int i = 0; i < 20; ++i) watch_.xids.push_back({0, 95, {}, {}, {}});
  keeper_.Look();
  (void)keeper_.NewsFor(1);
  clock_.Advance(Duration::Minutes(10));
  clock_.StepWall(Duration::Minutes(-60));
  watch_.xids = {{0, 95, {}, {}, {}}};
  keeper_.Look();
  const GpuNews news = keeper_.NewsFor(2);
  ASSERT_EQ(news.signals.size(), 1u);
  EXPECT_EQ(news.signals[0].at, clock_.Now());  // people read the wall clock
}

TEST_F(GpuKeeperTest, ErrorsBeforeAResetDrownNoneAfterIt) {
  const auto flood = [&] {
    for (int i = 0; i < 20; ++i) watch_.xids.push_back({0, 95, {}, {}, {}});
    keeper_.Look();
    return keeper_.NewsFor(1).signals.size();
  };
  EXPECT_EQ(flood(), 10u);
  EXPECT_EQ(flood(), 0u);
  const std::vector<DesiredGpuTask> reset = {{0, GpuTask::kReset, 8}};
  care_.results = {{8, 0, false, "it is in use"}};
  keeper_.CarryOut(reset);
  EXPECT_EQ(flood(), 0u);
  care_.results = {{8, 0, true, ""}};
  keeper_.CarryOut(reset);
  EXPECT_EQ(flood(), 10u);
  keeper_.CarryOut(reset);  // the same one
  EXPECT_EQ(flood(), 0u);
}

TEST_F(GpuKeeperTest, WhatWasNotAnsweredIsToldAgainInOrder) {
  watch_.xids = {{0, 31, {}, {}, {}}, {0, 43, {}, {}, {}}};
  keeper_.Look();
  EXPECT_EQ(keeper_.NewsFor(1).signals.size(), 2u);
  watch_.xids = {{0, 79, {}, {}, {}}};
  keeper_.Look();
  EXPECT_EQ(keeper_.NewsFor(2).signals.size(), 1u);
  keeper_.Acknowledged(1);
  keeper_.Disconnected();
  const GpuNews again = keeper_.NewsFor(1);
  ASSERT_EQ(again.signals.size(), 1u);
  EXPECT_EQ(again.signals[0].xid, 79);
}

TEST_F(GpuKeeperTest, AWarmGpuTakesNoNewWork) {
  keeper_.Look();
  EXPECT_TRUE(keeper_.Observations()[0].healthy);
  Warm(86);
  keeper_.Look();
  EXPECT_FALSE(keeper_.Observations()[0].healthy);
  EXPECT_NE(keeper_.Observations()[0].detail.find("86"), std::string::npos);
}

// One that is silent hides no other, and its old figures are not said to be new.
TEST_F(GpuKeeperTest, EachGpuHasItsOwnAge) {
  watch_.readings.push_back(watch_.readings[0]);
  watch_.readings[0].age_ns = kReadingStaleAfter.ns;
  keeper_.Look();
  EXPECT_TRUE(keeper_.Observations()[0].healthy);
  EXPECT_FALSE(keeper_.HasNewFindings());
  watch_.readings[0].age_ns += 1;
  keeper_.Look();
  EXPECT_TRUE(keeper_.HasNewFindings());
  const auto seen = keeper_.Observations();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].findings, (std::vector<HealthFinding>{{HealthCode::kUnread, 3, 0}}));
  EXPECT_TRUE(seen[1].healthy);
  keeper_.Look();
  EXPECT_FALSE(keeper_.HasNewFindings());
}

TEST_F(GpuKeeperTest, AGpuThatWasNeverReadIsAwaitedAMoment) {
  watch_.readings = {{std::nullopt, 0, ""}};
  keeper_.Look();
  EXPECT_TRUE(keeper_.Observations().empty());
  watch_.readings[0].age_ns = Duration::Seconds(4).ns;
  keeper_.Look();
  EXPECT_EQ(keeper_.Observations()[0].findings[0].code, HealthCode::kUnread);
}

// Just after a reboot: nothing is let in that nobody has read.
TEST_F(GpuKeeperTest, ATaskWaitsForTheOneBeforeItOnItsGpu) {
  watch_.readings.push_back(watch_.readings.front());
  keeper_.Look();
  keeper_.CarryOut({{0, GpuTask::kReset, 8}});
  keeper_.CarryOut({{0, GpuTask::kTest, 9}, {1, GpuTask::kTest, 10}});
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{8, 10})) << "the reset is withdrawn, and goes on";
  care_.results = {{8, 0, true, ""}};
  keeper_.CarryOut({{0, GpuTask::kTest, 9}, {1, GpuTask::kTest, 10}});
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{8, 10, 9}));
}

// Else the first GPU to return would take a job of which the next could have had both.
TEST_F(GpuKeeperTest, TestsThatPassTogetherAreReportedTogether) {
  watch_.readings.push_back(watch_.readings.front());
  keeper_.Look();
  const std::vector<DesiredGpuTask> tests = {{0, GpuTask::kTest, 9}, {1, GpuTask::kTest, 10}};
  keeper_.CarryOut(tests);
  care_.results = {{9, 0, true, ""}};
  keeper_.CarryOut(tests);
  EXPECT_FALSE(keeper_.HasNews());
  EXPECT_EQ(keeper_.NextAt(), Instant{clock_.BootNs()} + Duration::Seconds(2));
  clock_.Advance(Duration::Seconds(1));
  care_.results.push_back({10, 1, true, ""});
  keeper_.CarryOut(tests);
  EXPECT_EQ(keeper_.NewsFor(1).results.size(), 2u);
  EXPECT_EQ(keeper_.NextAt(), std::nullopt);
}

TEST_F(GpuKeeperTest, ATestThatHangsHoldsOthersForAMomentOnly) {
  watch_.readings.resize(3, watch_.readings.front());
  keeper_.Look();
  const std::vector<DesiredGpuTask> tests = {
      {0, GpuTask::kTest, 9}, {1, GpuTask::kTest, 10}, {2, GpuTask::kTest, 11}};
  keeper_.CarryOut(tests);
  care_.results = {{9, 0, true, ""}};
  keeper_.CarryOut(tests);
  EXPECT_FALSE(keeper_.HasNews());
  care_.results.push_back({10, 1, false, "it computes wrongly"});
  keeper_.CarryOut(tests);
  EXPECT_EQ(keeper_.NewsFor(1).results.size(), 1u) << "a failure is reported at once";
  clock_.Advance(Duration::Seconds(2));
  keeper_.CarryOut(tests);
  EXPECT_EQ(keeper_.NewsFor(2).results.size(), 2u);
}

TEST_F(GpuKeeperTest, ATestAwaitsTheFirstReading) {
  watch_.readings = {{std::nullopt, 0, ""}};
  keeper_.Look();
  const std::vector<DesiredGpuTask> test = {{0, GpuTask::kTest, 7}};
  keeper_.CarryOut(test);
  EXPECT_TRUE(care_.begun.empty());
  Warm(40);
  keeper_.Look();
  keeper_.CarryOut(test);
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{7}));
  care_.begun.clear();
  care_.results = {{7, 0, true, ""}};
  // One that cannot be watched is not waited for without end.
  watch_.readings[0].age_ns = Duration::Minutes(1).ns;
  keeper_.Look();
  keeper_.CarryOut({{0, GpuTask::kTest, 8}});
  EXPECT_TRUE(care_.begun.empty());
  clock_.Advance(Duration::Minutes(1));
  keeper_.CarryOut({{0, GpuTask::kTest, 8}});
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{8}));
}

TEST_F(GpuKeeperTest, AGpuIsTestedWhenItIsCoolOrWouldNotCoolDown) {
  Warm(86);
  keeper_.Look();
  const std::vector<DesiredGpuTask> test = {{0, GpuTask::kTest, 7}};
  keeper_.CarryOut(test);
  EXPECT_TRUE(care_.begun.empty());
  keeper_.CarryOut({{0, GpuTask::kReset, 8}});
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{8}));  // a reset needs no cool GPU
  care_.begun.clear();
  care_.results = {{8, 0, true, ""}};
  keeper_.CarryOut(test);
  Warm(60);
  keeper_.Look();
  keeper_.CarryOut(test);
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{7}));
  care_.begun.clear();
  care_.results = {{7, 0, true, ""}};
  Warm(86);
  keeper_.Look();
  keeper_.CarryOut({{0, GpuTask::kTest, 9}});
  clock_.Advance(Duration::Minutes(10));
  keeper_.CarryOut({{0, GpuTask::kTest, 9}});
  EXPECT_EQ(care_.begun, (std::vector<uint64_t>{9}));
}

}  // namespace
}  // namespace gp
