#include "experiments/topology/bandwidth.h"

#include <gtest/gtest.h>

#include "tests/unit/experiments/topology/test_machine.h"

namespace gp {
namespace {

TEST(Bandwidth, LinksGoBeforePcieAndEachCounts) {
  const auto table = BandwidthTable::Of(FourGpus(12));
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->MbPerSecond(0, 1), 12 * 25'000);
  EXPECT_EQ(table->MbPerSecond(1, 0), 12 * 25'000);
}

TEST(Bandwidth, PcieLosesMoreAcrossSockets) {
  const auto table = BandwidthTable::Of(FourGpus());
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->MbPerSecond(0, 1), 16 * 1'969 * 86 / 100);
  EXPECT_EQ(table->MbPerSecond(0, 2), 16 * 1'969 * 74 / 100);
}

TEST(Bandwidth, TheSlowerGpuOfAPairDecides) {
  TopologyMachine machine = FourGpus();
  machine.wires[3].pcie_width = 8;
  EXPECT_EQ(BandwidthTable::Of(machine)->MbPerSecond(2, 3), 8 * 1'969 * 86 / 100);
}

TEST(Bandwidth, AnUnknownRateIsRefusedWithItsGpusAndTheFix) {
  TopologyMachine machine = FourGpus();
  machine.wires[2].pcie_generation = 7;
  auto table = BandwidthTable::Of(machine);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().message,
            "four: no rate for GPUs 0 and 2: pcie.generation must be from 1 to 6, and pcie.width "
            "above 0");
  machine = FourGpus(2);
  machine.wires[0].nvlink_version = 0;
  table = BandwidthTable::Of(machine);
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().message,
            "four: no rate for GPUs 0 and 1: nvlink.version must be from 1 to 5");
}

}  // namespace
}  // namespace gp
