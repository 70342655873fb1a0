#include "experiments/packing/bin.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

Bin FourGpus() {
  Bin bin{.cpu_milli = 32'000, .memory_mib = 65'536, .model = 1, .gpus = 4};
  for (int i = 0; i < 4; ++i) bin.free[static_cast<size_t>(i)] = kWholeGpu;
  return bin;
}

constexpr Shape AnyPart(int share) {
  return {.cpu_milli = 1'000, .memory_mib = 1'024, .gpus = 1, .share = share};
}
constexpr Shape AnyWhole(int gpus) {
  return {.cpu_milli = 1'000, .memory_mib = 1'024, .gpus = gpus, .share = kWholeGpu};
}

TEST(Bin, APartGoesToTheTightestGpu) {
  Bin bin = FourGpus();
  Take(bin, AnyPart(400), 2);
  EXPECT_EQ(TightestGpu(bin, AnyPart(600)), 2);
  EXPECT_EQ(TightestGpu(bin, AnyPart(601)), 0);
  Take(bin, AnyPart(600), 2);
  EXPECT_EQ(bin.free[2], 0);
  EXPECT_EQ(bin.IdleGpus(), 3);
  EXPECT_EQ(bin.FreeShare(), 3'000);
}

TEST(Bin, WholeGpusAreTheLowestIdleOnes) {
  Bin bin = FourGpus();
  Take(bin, AnyPart(100), 0);
  Take(bin, AnyWhole(2), -1);
  EXPECT_EQ(bin.free[0], 900);
  EXPECT_EQ(bin.free[1], 0);
  EXPECT_EQ(bin.free[2], 0);
  EXPECT_FALSE(Fits(bin, AnyWhole(2)));
  EXPECT_TRUE(Fits(bin, AnyWhole(1)));
}

TEST(Bin, EverythingAskedForMustBeThere) {
  const Bin bin = FourGpus();
  Shape shape = AnyWhole(4);
  EXPECT_TRUE(Fits(bin, shape));
  shape.cpu_milli = 32'001;
  EXPECT_FALSE(Fits(bin, shape));
  shape = AnyWhole(4);
  shape.memory_mib = 65'537;
  EXPECT_FALSE(Fits(bin, shape));
  shape = AnyWhole(4);
  shape.models = 0b01;
  EXPECT_FALSE(Fits(bin, shape));
  shape.models = 0b10;
  EXPECT_TRUE(Fits(bin, shape));
  EXPECT_FALSE(Fits(bin, AnyWhole(5)));
}

TEST(Bin, TenantsAreCountedByKind) {
  Bin bin = FourGpus();
  Take(bin, AnyPart(100), 0);
  Take(bin, AnyPart(1'000), 1);  // a whole one is not a part
  Take(bin, Shape{.cpu_milli = 1}, -1);
  EXPECT_EQ(bin.tenants[0], 1);
  EXPECT_EQ(bin.tenants[1], 1);
}

}  // namespace
}  // namespace gp
