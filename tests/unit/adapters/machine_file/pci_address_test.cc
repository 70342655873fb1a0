#include "adapters/outbound/machine_file/pci_address.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(PciAddress, ReadsEveryWayOfWritingIt) {
  const PciAddress expected{0, 0x1b, 0, 0};
  for (const char* text : {"0000:1b:00.0", "00000000:1B:00.0", "1b:00.0", "0:1b:0.0"}) {
    EXPECT_EQ(PciAddress::Parse(text), expected) << text;
  }
  EXPECT_EQ(PciAddress::Parse("10000:e1:1f.7"), (PciAddress{0x10000, 0xe1, 0x1f, 7}));
}

TEST(PciAddress, WritesBothWays) {
  EXPECT_EQ((PciAddress{0x35, 3, 0, 0}).ToLinux(), "0035:03:00.0");
  EXPECT_EQ((PciAddress{0x35, 0xc3, 0, 0}).ToNvml(), "00000035:C3:00.0");
  EXPECT_EQ((PciAddress{0x10000, 1, 2, 3}).ToLinux(), "10000:01:02.3");
}

TEST(PciAddress, RefusesEverythingElse) {
  for (const char* text :
       {"", ":", ".", "1b:00", "1b.0", "0000:1b:00.8", "0000:1b:20.0", "0000:100:00.0", "g:00.0",
        "0000:1b:00.0 ", "-1:00.0", "123456789:00:00.0", "0:0:0:0.0"}) {
    EXPECT_EQ(PciAddress::Parse(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gp
