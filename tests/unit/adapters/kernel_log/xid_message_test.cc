#include "adapters/outbound/kernel_log/xid_message.h"

#include <gtest/gtest.h>

#include <string>

namespace gp {
namespace {

DriverAdvice AdviceTo(const std::string& to) {
  return AdviceOf(154, "GPU recovery action changed from 0x0 (None) to " + to);
}

TEST(XidMessage, AllAdviceIsKnown) {
  EXPECT_EQ(AdviceTo("0x0 (None)"), DriverAdvice::kNone);
  EXPECT_EQ(AdviceTo("0x1 (GPU Reset Required)"), DriverAdvice::kGpuReset);
  EXPECT_EQ(AdviceTo("0x2 (Node Reboot Required)"), DriverAdvice::kNodeReboot);
  EXPECT_EQ(AdviceTo("0x3 (Drain P2P)"), DriverAdvice::kDrainP2p);
  EXPECT_EQ(AdviceTo("0x4 (Drain and Reset)"), DriverAdvice::kDrainAndReset);
  EXPECT_EQ(AdviceTo("0x5 (Recover IMEX Domain)"), DriverAdvice::kRecoverImex);
}

TEST(XidMessage, NewWordsForOldCodesAreKnownToo) {
  EXPECT_EQ(AdviceTo("0x1 (PF FLR)"), DriverAdvice::kGpuReset);
  EXPECT_EQ(AdviceTo("0x2 (OS Reboot)"), DriverAdvice::kNodeReboot);
  EXPECT_EQ(AdviceTo("0x3 (Something New)"), DriverAdvice::kDrainP2p);
  EXPECT_EQ(AdviceTo("0x4 ()"), DriverAdvice::kDrainAndReset);
}

TEST(XidMessage, OnlyTheNewAdviceCounts) {
  EXPECT_EQ(
      AdviceOf(154, "GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)"),
      DriverAdvice::kNone);
  EXPECT_EQ(AdviceOf(154, "GPU recovery action changed from 0x7 (Odd) to 0x1 (GPU Reset Required)"),
            DriverAdvice::kGpuReset);
}

TEST(XidMessage, WhatIsNoAdviceIsUnknown) {
  for (const char* to :
       {"", "0x", "0x1", "0x1 (", "0x1 (GPU Reset Required", "1 (GPU Reset Required)",
        "0x9 (Dance)", "0x123456789 (None)", "(None)", "GPU Reset Required"}) {
    EXPECT_EQ(AdviceTo(to), DriverAdvice::kUnknown) << to;
  }
  EXPECT_EQ(AdviceOf(154, ""), DriverAdvice::kUnknown);
  const std::string text =
      "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)";
  EXPECT_EQ(AdviceOf(31, text), DriverAdvice::kUnknown);
  EXPECT_EQ(AdviceOf(154, "x, " + text), DriverAdvice::kUnknown);
}

TEST(XidMessage, NvlinkSaysHowBadItIs) {
  for (int xid = 144; xid <= 150; ++xid) {
    EXPECT_FALSE(IsFatal(xid, "RLW_CTRL Nonfatal XC0 i0 Link 00 (0x00000003)")) << xid;
    EXPECT_FALSE(IsFatal(xid, "NETIR_BER_EVENT  Nonfatal")) << xid;
    EXPECT_TRUE(IsFatal(xid, "TLW_RX/TLW_RX_PIPE0 Fatal   XC0 i0 Link 00")) << xid;
    EXPECT_TRUE(IsFatal(xid, "MSE_WATCHDOG XC0 i0 Link 00")) << xid;
    EXPECT_TRUE(IsFatal(xid, "X Fatal then Nonfatal")) << xid;
    EXPECT_TRUE(IsFatal(xid, "NonfatalX XNonfatal nonfatal")) << xid;
    EXPECT_TRUE(IsFatal(xid, "")) << xid;
  }
  EXPECT_TRUE(IsFatal(143, "X Nonfatal Y"));
  EXPECT_TRUE(IsFatal(151, "X Nonfatal Y"));
}

TEST(XidMessage, ANetirErrorMayBeOfTheOtherEnd) {
  const auto with = [](std::string_view first) {
    return "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x" + std::string(first) +
           " 0x00000000 0x00000000)";
  };
  EXPECT_TRUE(IsOfPeer(149, with("025001c6")));
  EXPECT_TRUE(IsOfPeer(149, with("F2500000")));  // six bits count
  for (const char* first :
       {"026001c6", "024001c6", "005001c6", "00000025", "0250", "025001c6f", "g25001c6", ""})
    EXPECT_FALSE(IsOfPeer(149, with(first))) << first;
  for (const int xid : {144, 145, 148, 150, 154})
    EXPECT_FALSE(IsOfPeer(xid, with("025001c6"))) << xid;
  EXPECT_FALSE(IsOfPeer(149, "NETIR_LINK_EVT Fatal 0x025001c6"));
  EXPECT_FALSE(IsOfPeer(149, ""));
}

}  // namespace
}  // namespace gp
