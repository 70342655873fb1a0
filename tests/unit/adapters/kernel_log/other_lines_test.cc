// What the driver says beside XIDs: NVSwitches, and GPUs that it does not reach.

#include "adapters/outbound/kernel_log/other_lines.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(FabricErrors, SayHowBadTheyAre) {
  const auto fatal = ParseFabricError(
      "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 28 LTSSM Fault Up");
  ASSERT_TRUE(fatal);
  EXPECT_EQ(fatal->sxid, 20034);
  EXPECT_TRUE(fatal->is_fatal);
  const auto mild = ParseFabricError(
      "nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV "
      "error (First)");
  ASSERT_TRUE(mild);
  EXPECT_EQ(mild->sxid, 12028);
  EXPECT_FALSE(mild->is_fatal);
  EXPECT_TRUE(ParseFabricError("nvidia-nvswitch0: SXid (0008:00:00.0): 22013, Fatal, x"));
}

TEST(FabricErrors, AreNothingElse) {
  for (const char* text : {
           "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Severity 1 Engine instance 28 "
           "Sub-engine instance 00",
           "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Data {0x50610002, 0x10100030}",
           "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 0, Fatal, x",
           "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034",
           "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): -1, Fatal",
           "nvidia-nvswitch1: SXid (PCI:): 20034, Fatal",
           "nvidia-nvswitch1: SXid",
           "nvidia-nvswitch: SXid (PCI:0000:06:00.0): 20034, Fatal",
           "nvidia-nvswitchx: SXid (PCI:0000:06:00.0): 20034, Fatal",
           "x: nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal",
           "NVRM: Xid (PCI:0000:06:00): 31, pid=1, name=nvidia-nvswitch1: SXid (PCI:0000:06:00.0): "
           "20034, Fatal",
           "",
       }) {
    EXPECT_FALSE(ParseFabricError(text)) << text;
  }
}

TEST(FailedStarts, NameTheGpuWhereTheyDo) {
  EXPECT_EQ(ParseFailedStart("NVRM: GPU 0000:53:00.0: RmInitAdapter failed! (0x26:0x56:1474)"),
            "0000:53:00");
  EXPECT_EQ(
      ParseFailedStart("NVRM: GPU 0000:d3:00.0: rm_init_adapter failed, device minor number 0"),
      "0000:D3:00");
  EXPECT_EQ(ParseFailedStart("NVRM: RmInitAdapter failed! (0x26:0xffff:1290)"), "");
  EXPECT_EQ(ParseFailedStart("NVRM: rm_init_adapter failed, device minor number 3"), "");
  for (const char* text :
       {"NVRM: GPU 0000:53:00.0: all is well", "NVRM: GPU 53: RmInitAdapter failed!",
        "RmInitAdapter failed!", "NVRM: Xid (PCI:0000:53:00): 31, RmInitAdapter failed",
        "x NVRM: RmInitAdapter failed", "NVRM:"}) {
    EXPECT_FALSE(ParseFailedStart(text)) << text;
  }
}

constexpr char kBegins[] = "NVRM: The NVIDIA GPU 0000:53:00.0";
constexpr char kGoesOn[] = "NVRM: (PCI ID: 10de:2330) installed in this system has";
constexpr char kEnds[] = "NVRM: fallen off the bus and is not responding to commands.";

TEST(FallenNotices, AreOneRecordOrThree) {
  FallenNotice notice;
  EXPECT_EQ(notice.Take(std::string(kBegins) + "\\x0a" + kGoesOn + "\\x0a" + kEnds), "0000:53:00");
  EXPECT_FALSE(notice.Take(kBegins));
  EXPECT_FALSE(notice.Take(kGoesOn));
  EXPECT_EQ(notice.Take(kEnds), "0000:53:00");
  EXPECT_FALSE(notice.Take(kEnds));  // once
}

TEST(FallenNotices, SayNothingUnlessTheyAreWhole) {
  FallenNotice notice;
  EXPECT_FALSE(notice.Take(kEnds));
  EXPECT_FALSE(notice.Take(kBegins));
  EXPECT_FALSE(notice.Take(kGoesOn));
  EXPECT_FALSE(notice.Take("NVRM: not supported by the NVIDIA 595.45 driver release."));
  EXPECT_FALSE(notice.Take(kEnds));
  EXPECT_FALSE(notice.Take("NVRM: The NVIDIA GPU x"));
  EXPECT_FALSE(notice.Take(kEnds));
  EXPECT_FALSE(notice.Take(kBegins));
  EXPECT_FALSE(notice.Take("usb 1-1: new device"));  // of others, between the parts
  EXPECT_EQ(notice.Take(kEnds), "0000:53:00");
}

}  // namespace
}  // namespace gp
