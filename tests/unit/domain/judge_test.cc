#include "domain/faults/judge.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

FaultPolicy WithRule(int xid, XidRule rule) {
  FaultPolicy policy;
  policy.xids[xid] = rule;
  return policy;
}

FaultSignal Xid(int xid) {
  FaultSignal signal;
  signal.xid = xid;
  return signal;
}

constexpr XidRule kReset{TenantAction::kRestartAll, GpuRemedy::kReset, false, false, false};
constexpr XidRule kOfPrograms{TenantAction::kNote, GpuRemedy::kNone, true, false, false};

TEST(Judge, GoesByTheRule) {
  const FaultVerdict verdict = Judge(WithRule(95, kReset), Xid(95), {}, false);
  EXPECT_EQ(verdict.tenants, TenantAction::kRestartAll);
  EXPECT_EQ(verdict.remedy, GpuRemedy::kReset);
  EXPECT_EQ(verdict.why, "XID 95");
}

TEST(Judge, WhatNobodyDescribedAsksAPersonTheSecondTime) {
  EXPECT_EQ(Judge({}, Xid(999), {}, false).remedy, GpuRemedy::kWatch);
  EXPECT_EQ(Judge({}, Xid(999), {}, true).remedy, GpuRemedy::kOperator);
  EXPECT_EQ(Judge({}, Xid(999), {}, false).tenants, TenantAction::kForgive);
}

TEST(Judge, TheDriversAdviceCountsMoreThanTheRule) {
  FaultSignal signal = Xid(13);
  signal.advice = DriverAdvice::kGpuReset;
  FaultVerdict verdict = Judge(WithRule(13, kOfPrograms), signal, {}, false);
  EXPECT_EQ(verdict.remedy, GpuRemedy::kReset);
  EXPECT_EQ(verdict.tenants, TenantAction::kRestartAll);
  // Milder than the rule as well; but whoever the error hit is hit.
  signal = Xid(95);
  signal.advice = DriverAdvice::kDrainAndReset;
  verdict = Judge(WithRule(95, kReset), signal, {}, false);
  EXPECT_EQ(verdict.remedy, GpuRemedy::kDrainReset);
  EXPECT_EQ(verdict.tenants, TenantAction::kRestartAll);
  // None is no advice.
  signal.advice = DriverAdvice::kNone;
  EXPECT_EQ(Judge(WithRule(95, kReset), signal, {}, false).remedy, GpuRemedy::kReset);
}

TEST(Judge, Xid154IsItsTextUnlessTheDriverItselfSaysSomething) {
  FaultSignal signal = Xid(154);
  EXPECT_EQ(Judge({}, signal, {}, true).remedy, GpuRemedy::kNone);
  signal.reported = DriverAdvice::kNodeReboot;
  EXPECT_EQ(Judge({}, signal, {}, false).remedy, GpuRemedy::kReboot);
  signal.reported = DriverAdvice::kRecoverImex;
  EXPECT_EQ(Judge({}, signal, {}, false).remedy, GpuRemedy::kNone);  // no GPU's fault
  EXPECT_TRUE(Judge({}, signal, {}, false).is_of_node);
  signal.advice = DriverAdvice::kDrainP2p;
  EXPECT_EQ(Judge({}, signal, {}, false).remedy, GpuRemedy::kDrainReset);
  EXPECT_EQ(Judge({}, signal, {}, false).tenants, TenantAction::kRestartLinked);
}

TEST(Judge, AContainedErrorHitsNobodyElse) {
  const FaultPolicy policy = WithRule(48, kReset);
  EXPECT_EQ(Judge(policy, Xid(48), {}, false).remedy, GpuRemedy::kReset);
  EXPECT_EQ(Judge(policy, Xid(48), {63}, false).remedy, GpuRemedy::kReset);
  EXPECT_EQ(Judge(policy, Xid(48), {94}, false).remedy, GpuRemedy::kResetWhenIdle);
  EXPECT_EQ(Judge(policy, Xid(48), {94}, false).tenants, TenantAction::kForgive);
}

TEST(Judge, TheTextSaysHowBadItIs) {
  const FaultPolicy policy =
      WithRule(149, {TenantAction::kNone, GpuRemedy::kNone, false, false, true});
  FaultSignal signal = Xid(149);
  EXPECT_EQ(Judge(policy, signal, {}, false).remedy, GpuRemedy::kReset);
  signal.is_fatal = false;
  EXPECT_EQ(Judge(policy, signal, {}, false).remedy, GpuRemedy::kNone);
}

TEST(Judge, WhatIsSeenWithoutAnXid) {
  FaultSignal signal;
  signal.kind = SignalKind::kLost;
  EXPECT_EQ(Judge({}, signal, {}, false).remedy, GpuRemedy::kReboot);
  signal.kind = SignalKind::kRemapFailed;
  EXPECT_EQ(Judge({}, signal, {}, false).remedy, GpuRemedy::kOperator);
  signal.kind = SignalKind::kAdvice;
  signal.advice = DriverAdvice::kNone;
  EXPECT_EQ(Judge({}, signal, {}, false), (FaultVerdict{TenantAction::kNone, GpuRemedy::kNone,
                                                        false, "the driver asks for none"}));
}

TEST(Judge, AdviceIsReadAsItIsWritten) {
  for (int i = 0; i <= static_cast<int>(DriverAdvice::kRecoverImex); ++i) {
    EXPECT_EQ(ParseDriverAdvice(Name(static_cast<DriverAdvice>(i))), static_cast<DriverAdvice>(i));
  }
  EXPECT_EQ(ParseDriverAdvice("reset"), std::nullopt);
}

TEST(Both, IsTheStrongerOrWhatServesThemBoth) {
  EXPECT_EQ(Both(GpuRemedy::kNone, GpuRemedy::kResetWhenIdle), GpuRemedy::kResetWhenIdle);
  EXPECT_EQ(Both(GpuRemedy::kReset, GpuRemedy::kTest), GpuRemedy::kReset);
  EXPECT_EQ(Both(GpuRemedy::kTest, GpuRemedy::kResetWhenIdle), GpuRemedy::kDrainReset);
  EXPECT_EQ(Both(GpuRemedy::kResetWhenIdle, GpuRemedy::kTest), GpuRemedy::kDrainReset);
  EXPECT_EQ(Both(GpuRemedy::kTest, GpuRemedy::kTest), GpuRemedy::kTest);
}

}  // namespace
}  // namespace gp
