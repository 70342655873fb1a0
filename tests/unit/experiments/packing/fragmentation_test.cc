#include "experiments/packing/fragmentation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gp {
namespace {

constexpr Shape SmallPart(int share) { return {.cpu_milli = 1'000, .gpus = 1, .share = share}; }
constexpr Shape FewCores(int gpus) {
  return {.cpu_milli = 1'000, .gpus = gpus, .share = kWholeGpu};
}

Bin TwoGpus(int first, int second) {
  return {.cpu_milli = 8'000,
          .memory_mib = 1,
          .gpus = 2,
          .free = {static_cast<int16_t>(first), static_cast<int16_t>(second)}};
}

TEST(TypicalShapes, AreTheMostFrequentOnes) {
  std::vector<Shape> seen(90, SmallPart(500));
  seen.insert(seen.end(), 8, FewCores(1));
  seen.insert(seen.end(), 2, FewCores(8));
  const TypicalShapes typical = TypicalShapes::Of(seen);
  ASSERT_EQ(typical.list().size(), 2u);
  EXPECT_EQ(typical.list()[0].count, 90);
  EXPECT_EQ(typical.total(), 98);
}

TEST(TypicalShapes, HostMemoryMakesNoDifference) {
  std::vector<Shape> seen(2, SmallPart(500));
  seen[1].memory_mib = 7;
  EXPECT_EQ(TypicalShapes::Of(seen).list().size(), 1u);
}

TEST(Waste, IsWhatATypicalShapeCannotUse) {
  const TypicalShapes halves = TypicalShapes::Of({SmallPart(500)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), halves), 400);
  EXPECT_EQ(Waste(TwoGpus(499, 400), halves), 899);  // cannot run: all of it
  const TypicalShapes pairs = TypicalShapes::Of({FewCores(2)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 999), pairs), 1'999);
  EXPECT_EQ(Waste(TwoGpus(1'000, 1'000), pairs), 0);
  const TypicalShapes no_gpu = TypicalShapes::Of({Shape{.cpu_milli = 1}});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), no_gpu), 1'400);  // of no use to those who want none
}

TEST(Waste, WeighsShapesByHowOftenTheyCome) {
  const TypicalShapes both =
      TypicalShapes::Of({SmallPart(500), SmallPart(500), SmallPart(500), FewCores(2)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), both), 3 * 400 + 1 * 1'400);
}

TEST(Waste, WithoutCoresNothingCanBeUsed) {
  Bin bin = TwoGpus(1'000, 1'000);
  bin.cpu_milli = 999;
  EXPECT_EQ(Waste(bin, TypicalShapes::Of({SmallPart(500)})), 2'000);
}

TEST(Scarcity, GrowsWithWhatAShapeMayNotUse) {
  Bin eight = TwoGpus(1'000, 1'000);
  Shape picky = SmallPart(500);
  picky.models = 0b10;
  std::vector<Bin> bins(4, eight);
  bins[0].model = 1;
  Shape large = FewCores(8);  // runs nowhere
  TypicalShapes typical = TypicalShapes::Of({SmallPart(500), picky, large}, 100);
  typical.Weigh(bins);
  for (const TypicalShape& one : typical.list()) {
    // 4 ^ 1.5
    const int64_t expected = one.shape == large ? 0 : one.shape == picky ? 8'000 : 1'000;
    EXPECT_EQ(one.scarcity, expected);
  }
}

TEST(WasteLessSlots, CountsTheRoomThatIsLeft) {
  const TypicalShapes halves = TypicalShapes::Of({SmallPart(500)});
  // Waste 400; two slots of half a GPU on the first GPU, none on the second.
  EXPECT_EQ(WasteLessSlots(TwoGpus(1'000, 400), halves), 400 - 1'000 * 3 / 10);
  Bin few_cores = TwoGpus(1'000, 1'000);
  few_cores.cpu_milli = 3'000;
  EXPECT_EQ(WasteLessSlots(few_cores, halves), 0 - 1'500 * 3 / 10);  // three, by their cores
  const TypicalShapes pairs = TypicalShapes::Of({FewCores(2)});
  EXPECT_EQ(WasteLessSlots(TwoGpus(1'000, 1'000), pairs), 0 - 2'000 * 3 / 10);
  EXPECT_EQ(WasteLessSlots(TwoGpus(1'000, 999), pairs), 1'999);
}

TEST(GradientScore, IsTheSigmoidToTheWholeNumber) {
  int off = 0;
  for (int64_t gain = -9'000'000; gain <= 9'000'000; gain += 37) {
    const double exact = 100.0 / (1.0 + std::exp(-static_cast<double>(gain) / 1'000'000.0));
    // At the very steps the two may round apart.
    if (std::abs(exact - std::round(exact)) < 1e-6) continue;
    off += GradientScore(gain, 1'000) == static_cast<int>(exact) ? 0 : 1;
  }
  EXPECT_EQ(off, 0);
}

TEST(GradientScore, StaysWithinItsRangeAtTheExtremes) {
  EXPECT_EQ(GradientScore(0, 10'000), 50);
  EXPECT_EQ(GradientScore(8'000 * 10'000, 10'000), 99);
  EXPECT_EQ(GradientScore(-8'000 * 10'000, 10'000), 0);
}

}  // namespace
}  // namespace gp
