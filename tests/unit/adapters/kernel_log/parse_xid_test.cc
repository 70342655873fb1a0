#include "adapters/outbound/kernel_log/parse_xid.h"

#include <gtest/gtest.h>

#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

constexpr const char* kLost = "NVRM: Xid (PCI:0000:05:00): 79, GPU has fallen off the bus.";

TEST(ParseXid, TakesTheHeaderAndThePropertiesOff) {
  for (const char* header : {"3,1,2,-;", "0,1,2,-;", "7,18446744073709551615,99999999999999,c;",
                             "4,1,2,-,caller=T1234;", "4,1,2,-,caller=C17,more=x;"}) {
    const auto found =
        ParseXid(std::string(header) + kLost + "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:05:00.0\n");
    ASSERT_TRUE(found.has_value()) << header;
    EXPECT_EQ(found->text, kLost) << header;
  }
}

TEST(ParseXid, BelievesTheKernelOnly) {
  for (int facility = 0; facility < 24; ++facility) {
    const std::string record = std::to_string(facility * 8 + 3) + ",1,2,-;" + kLost;
    EXPECT_EQ(ParseXid(record).has_value(), facility == 0) << facility;
    EXPECT_EQ(ParseXid(record, true).has_value(), facility <= 1) << facility;
  }
}

TEST(ParseXid, ReadsWhatTheDriverAsksFor) {
  const auto found = ParseXid(
      ByKernel("NVRM: Xid (PCI:0000:05:00): 154, pid=4, name=x, GPU recovery action changed from "
               "0x0 (None) to 0x1 (GPU Reset Required)"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->reported, DriverAdvice::kGpuReset);
}

TEST(ParseXid, ReadsHowBadItIs) {
  const auto found = ParseXid(
      ByKernel("NVRM: Xid (PCI:0000:05:00): 147, TREX Nonfatal XC0 i0 Link 03 (0x0000000e)"));
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->is_fatal);
  EXPECT_EQ(found->reported, DriverAdvice::kUnknown);
}

TEST(ParseXid, AnOddPidLeavesTheRestAsItIs) {
  for (const char* pid : {"99999999999999999999", "4294967295", "-4", "4x", "0", "'4'", ""}) {
    const auto found = ParseXid(ByKernel("NVRM: Xid (PCI:0000:05:00): 79, pid=" + std::string(pid) +
                                         ", name=python3, GPU has fallen off the bus."));
    ASSERT_TRUE(found.has_value()) << pid;
    EXPECT_EQ(found->pid, std::nullopt) << pid;
    EXPECT_EQ(found->name, "python3") << pid;
  }
}

TEST(ParseXid, KnowsTheLimits) {
  const auto with = [](const std::string& instance, const std::string& xid) {
    return ParseXid(ByKernel("NVRM: Xid (PCI:0000:05:00 GPU-I:" + instance + "): " + xid + ", x"));
  };
  EXPECT_TRUE(with("65535", "65535").has_value());
  EXPECT_FALSE(with("65536", "65535").has_value());
  EXPECT_FALSE(with("65535", "65536").has_value());
  EXPECT_TRUE(with("0", "1").has_value());
  EXPECT_FALSE(with("0", "0").has_value());
  std::string record = ByKernel(kLost);
  record.resize(kKernelRecordBytesMax, '.');
  EXPECT_TRUE(ParseXid(record).has_value());
  EXPECT_FALSE(ParseXid(record + ".").has_value());
}

TEST(ParseXid, NeedsTheCommaBehindTheNumber) {
  const std::string whole = ByKernel(kLost);
  const size_t comma = whole.find(": 79,") + 4;
  for (size_t length = 0; length <= whole.size(); ++length) {
    EXPECT_EQ(ParseXid(whole.substr(0, length)).has_value(), length > comma) << length;
  }
}

}  // namespace
}  // namespace gp
