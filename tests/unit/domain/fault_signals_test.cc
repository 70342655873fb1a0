#include "domain/node/fault_signals.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr Instant kNow{1'000'000'000'000};

SeenXid Driver(int xid, DriverAdvice advice = DriverAdvice::kUnknown) {
  return {2, xid, XidSource::kDriver, {}, advice, DriverAdvice::kUnknown, true, ""};
}
SeenXid Kernel(int xid, LeaseId lease = {}) {
  return {2,
          xid,
          XidSource::kKernelLog,
          lease,
          DriverAdvice::kUnknown,
          DriverAdvice::kUnknown,
          true,
          "NVRM: Xid"};
}

TEST(FaultSignals, WithoutALogTheDriversWordIsTold) {
  FaultSignals signals(7, false);
  signals.Saw(Driver(95, DriverAdvice::kGpuReset), kNow);
  const auto told = signals.Take(kNow);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].number, 7U);
  EXPECT_EQ(told[0].xid, 95);
  EXPECT_EQ(told[0].advice, DriverAdvice::kGpuReset);
  EXPECT_TRUE(signals.Take(kNow).empty());
  EXPECT_EQ(signals.NextAt(), std::nullopt);
}

TEST(FaultSignals, OneErrorOfTwoSourcesIsToldOnce) {
  for (const bool driver_first : {true, false}) {
    FaultSignals signals(1, true);
    signals.Saw(driver_first ? Driver(95, DriverAdvice::kGpuReset) : Kernel(95, {4}), kNow);
    signals.Saw(driver_first ? Kernel(95, {4}) : Driver(95, DriverAdvice::kGpuReset),
                kNow + Duration::Milliseconds(20));
    const auto told = signals.Take(kNow + Duration::Milliseconds(20));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].lease, (LeaseId{4}));
    EXPECT_EQ(told[0].advice, DriverAdvice::kGpuReset);
    EXPECT_EQ(told[0].text, "NVRM: Xid");
  }
}

TEST(FaultSignals, WithALogTheDriversWordWaitsForTheLineAMoment) {
  FaultSignals signals(1, true);
  signals.Saw(Driver(95), kNow);
  EXPECT_TRUE(signals.Take(kNow).empty());
  EXPECT_EQ(signals.NextAt(), kNow + Duration::Milliseconds(100));
  EXPECT_EQ(signals.Take(kNow + Duration::Milliseconds(100)).size(), 1U);
  signals.Saw(Kernel(95), kNow + Duration::Seconds(3));  // its line, late
  EXPECT_TRUE(signals.Take(kNow + Duration::Seconds(3)).empty());
}

// A driver that does not get a GPU to work says so at each try, and an XID may have said it before.
TEST(FaultSignals, ALossInTheLogIsToldOnce) {
  FaultSignals signals(1, true);
  SeenXid lost = Kernel(0);
  lost.kind = SignalKind::kLost;
  for (int i = 0; i < 10; ++i) signals.Saw(lost, kNow + Duration::Seconds(i));
  const auto told = signals.Take(kNow + Duration::Seconds(9));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].kind, SignalKind::kLost);
  GpuVitals vitals;
  vitals.lost = true;
  signals.Read(2, vitals, kNow + Duration::Seconds(10));
  EXPECT_TRUE(signals.Take(kNow + Duration::Seconds(10)).empty());
  FaultSignals others(1, true);
  others.Saw(Kernel(79), kNow);
  others.Saw(lost, kNow);
  EXPECT_EQ(others.Take(kNow).size(), 1U);
}

TEST(FaultSignals, ErrorsOfTheFabricAreOfNoGpu) {
  FaultSignals signals(1, true);
  SeenXid fatal = Kernel(20034);
  fatal.gpu = -1;
  fatal.kind = SignalKind::kFabric;
  SeenXid mild = fatal;
  mild.is_fatal = false;
  signals.Saw(mild, kNow);
  signals.Saw(fatal, kNow);
  const auto told = signals.Take(kNow);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_FALSE(told[0].is_fatal);
  EXPECT_TRUE(told[1].is_fatal);
  EXPECT_EQ(told[1].gpu, -1);
  EXPECT_EQ(told[1].kind, SignalKind::kFabric);
  // It explains no GPU's advice.
  GpuVitals vitals;
  vitals.advice = DriverAdvice::kGpuReset;
  signals.Read(2, vitals, kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 1U);
}

TEST(FaultSignals, TheSameErrorAgainIsAnotherOne) {
  FaultSignals signals(1, true);
  signals.Saw(Kernel(31), kNow);
  signals.Saw(Kernel(31), kNow);
  signals.Saw(Driver(31), kNow);
  signals.Saw(Driver(31), kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 2U);
  signals.Saw(Driver(31), kNow + Duration::Seconds(6));
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(7)).size(), 1U);
  // Of another GPU
  signals.Saw(
      {3, 31, XidSource::kDriver, {}, DriverAdvice::kUnknown, DriverAdvice::kUnknown, true, ""},
      kNow + Duration::Seconds(7));
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(8)).size(), 1U);
}

TEST(FaultSignals, AnErrorOfAnotherGpuOrNumberIsAnotherOneWhicheverSourceTells) {
  SeenXid other_gpu = Kernel(79);
  other_gpu.gpu = 3;
  for (const SeenXid& other : {other_gpu, Kernel(63)}) {
    FaultSignals signals(1, true);
    signals.Saw(Driver(79), kNow);
    signals.Saw(other, kNow);
    EXPECT_EQ(signals.Take(kNow + Duration::Milliseconds(100)).size(), 2U)
        << other.gpu << " " << other.xid;
  }
}

TEST(FaultSignals, AFloodIsToldInPart) {
  FaultSignals signals(1, false);
  size_t told = 0;
  for (int ms = 0; ms < 3'000; ++ms) {
    signals.Saw(Driver(31), kNow + Duration::Milliseconds(ms));
    told += signals.Take(kNow + Duration::Milliseconds(ms)).size();
  }
  EXPECT_EQ(told, 30U);
  signals.Saw(Driver(79), kNow + Duration::Seconds(3));  // another number is not drowned
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(3)).size(), 1U);
  for (int i = 0; i < 20; ++i) signals.Saw(Driver(31), kNow + Duration::Seconds(4));
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(4)).size(), 10U);
  signals.Saw(Driver(48), kNow + Duration::Seconds(4));  // nor where the second is full
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(4)).size(), 1U);
}

TEST(FaultSignals, WhatCameBeforeAResetSwallowsAndExplainsNothing) {
  FaultSignals signals(1, true);
  for (int reset = 0; reset < 30; ++reset) {  // within one second
    const Instant at = kNow + Duration::Milliseconds(reset * 30);
    signals.Saw(reset % 2 == 0 ? Kernel(95) : Driver(95), at);  // either source, and never both
    EXPECT_EQ(signals.Take(at + Duration::Milliseconds(100)).size(), 1U) << reset;
    signals.Renewed(2);
  }
  signals.Saw(Kernel(79), kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 1U);
  signals.Renewed(2);
  signals.Read(2, {true, false, Heat::kCool, DriverAdvice::kNodeReboot},
               kNow + Duration::Seconds(1));
  // Lost again, and what the driver asks for
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(1)).size(), 2U);
}

TEST(FaultSignals, AResetTakesNothingFromOtherGpusNorWhatWaitsToBeTold) {
  FaultSignals signals(1, true);
  SeenXid other = Kernel(95);
  other.gpu = 3;
  for (int i = 0; i < 10; ++i) signals.Saw(other, kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 10U);
  signals.Saw(Driver(95), kNow);  // waits for its line
  signals.Renewed(2);
  signals.Saw(other, kNow);
  EXPECT_EQ(signals.Take(kNow + Duration::Milliseconds(100)).size(), 1U);
}

TEST(FaultSignals, AdviceThatComesJustAfterAnErrorIsToldWhenItStays) {
  FaultSignals signals(1, false);
  signals.Saw(Driver(13), kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 1U);
  const auto read = [&](int seconds, DriverAdvice advice) {
    signals.Read(2, {false, false, Heat::kCool, advice}, kNow + Duration::Seconds(seconds));
    return signals.Take(kNow + Duration::Seconds(seconds)).size();
  };
  EXPECT_EQ(read(1, DriverAdvice::kGpuReset), 0U);  // the error may have carried it
  EXPECT_EQ(read(6, DriverAdvice::kGpuReset), 1U);
  EXPECT_EQ(read(7, DriverAdvice::kGpuReset), 0U);
  EXPECT_EQ(read(8, DriverAdvice::kNone), 0U);
  EXPECT_EQ(read(9, DriverAdvice::kGpuReset), 1U);  // another time
}

TEST(FaultSignals, OnlyItsOwnErrorExplainsALoss) {
  for (const int xid : {79, 31}) {
    FaultSignals signals(1, false);
    signals.Saw(Driver(xid), kNow);
    EXPECT_EQ(signals.Take(kNow).size(), 1U);
    signals.Read(2, {true, false, Heat::kCool, DriverAdvice::kUnknown},
                 kNow + Duration::Seconds(1));
    EXPECT_EQ(signals.Take(kNow + Duration::Seconds(1)).size(), xid == 79 ? 0U : 1U) << xid;
  }
}

TEST(FaultSignals, AdviceThatAnErrorCarriedIsNotToldAgain) {
  FaultSignals signals(1, false);
  signals.Saw(Driver(95, DriverAdvice::kGpuReset), kNow);
  EXPECT_EQ(signals.Take(kNow).size(), 1U);
  for (int seconds = 1; seconds < 20; ++seconds) {
    signals.Read(2, {false, false, Heat::kCool, DriverAdvice::kGpuReset},
                 kNow + Duration::Seconds(seconds));
    EXPECT_TRUE(signals.Take(kNow + Duration::Seconds(seconds)).empty()) << seconds;
  }
}

TEST(FaultSignals, ReadingsTellWhatHasChanged) {
  FaultSignals signals(1, false);
  signals.Read(0, {}, kNow);
  EXPECT_TRUE(signals.Take(kNow).empty());
  signals.Read(0, {false, true, Heat::kCool, DriverAdvice::kGpuReset}, kNow);
  auto told = signals.Take(kNow);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].kind, SignalKind::kRemapFailed);
  EXPECT_EQ(told[1].kind, SignalKind::kAdvice);
  signals.Read(0, {false, true, Heat::kCool, DriverAdvice::kGpuReset}, kNow + Duration::Seconds(1));
  EXPECT_TRUE(signals.Take(kNow + Duration::Seconds(1)).empty());
  // It was reset
  signals.Read(0, {false, false, Heat::kCool, DriverAdvice::kNone}, kNow + Duration::Seconds(2));
  signals.Read(0, {true, false, Heat::kCool, DriverAdvice::kNone}, kNow + Duration::Seconds(3));
  told = signals.Take(kNow + Duration::Seconds(3));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].kind, SignalKind::kLost);
}

TEST(FaultSignals, HeatIsToldWhenItRises) {
  FaultSignals signals(1, false);
  const auto read = [&](Heat heat, int seconds) {
    signals.Read(0, {false, false, heat, DriverAdvice::kNone}, kNow + Duration::Seconds(seconds));
    return signals.Take(kNow + Duration::Seconds(seconds));
  };
  EXPECT_TRUE(read(Heat::kWarm, 0).empty());
  const auto hot = read(Heat::kHot, 1);
  ASSERT_EQ(hot.size(), 1U);
  EXPECT_EQ(hot[0].kind, SignalKind::kHot);
  EXPECT_TRUE(read(Heat::kHot, 2).empty());
  const auto critical = read(Heat::kCritical, 3);
  ASSERT_EQ(critical.size(), 1U);
  EXPECT_EQ(critical[0].kind, SignalKind::kCritical);
  EXPECT_TRUE(read(Heat::kCool, 4).empty());
  EXPECT_EQ(read(Heat::kHot, 5).size(), 1U);
}

TEST(FaultSignals, AnXidExplainsWhatReadingsSayAfterIt) {
  FaultSignals signals(1, false);
  signals.Read(2, {}, kNow);
  signals.Saw(Driver(79, DriverAdvice::kNodeReboot), kNow);
  signals.Read(2, {true, false, Heat::kCool, DriverAdvice::kNodeReboot},
               kNow + Duration::Seconds(1));
  EXPECT_EQ(signals.Take(kNow + Duration::Seconds(1)).size(), 1U);
}

}  // namespace
}  // namespace gp
