#include "domain/packing/fragmentation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gp {
namespace {

constexpr Shape Part(int share) { return {.cpu_milli = 1'000, .gpus = 1, .share = share}; }
constexpr Shape Whole(int gpus) { return {.cpu_milli = 1'000, .gpus = gpus, .share = kWholeGpu}; }

Bin TwoGpus(int first, int second) {
  return {.cpu_milli = 8'000, .memory_mib = 1, .gpus = 2, .free = {static_cast<int16_t>(first), static_cast<int16_t>(second)}};
}

TEST(TypicalShapes, AreTheMostFrequentOnes) {
  std::vector<Shape> seen(90, Part(500));
  seen.insert(seen.end(), 8, Whole(1));
  seen.insert(seen.end(), 2, Whole(8));
  const TypicalShapes typical = TypicalShapes::Of(seen);
  ASSERT_EQ(typical.list().size(), 2u);
  EXPECT_EQ(typical.list()[0].count, 90);
  EXPECT_EQ(typical.total(), 98);
}

TEST(TypicalShapes, HostMemoryMakesNoDifference) {
  std::vector<Shape> seen(2, Part(500));
  seen[1].memory_mib = 7;
  EXPECT_EQ(TypicalShapes::Of(seen).list().size(), 1u);
}

TEST(Waste, IsWhatATypicalShapeCannotUse) {
  const TypicalShapes halves = TypicalShapes::Of({Part(500)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), halves), 400);
  EXPECT_EQ(Waste(TwoGpus(499, 400), halves), 899);   // cannot run: all of it
  const TypicalShapes pairs = TypicalShapes::Of({Whole(2)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 999), pairs), 1'999);
  EXPECT_EQ(Waste(TwoGpus(1'000, 1'000), pairs), 0);
  const TypicalShapes no_gpu = TypicalShapes::Of({Shape{.cpu_milli = 1}});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), no_gpu), 1'400);  // of no use to those who want none
}

TEST(Waste, WeighsShapesByHowOftenTheyCome) {
  const TypicalShapes both = TypicalShapes::Of({Part(500), Part(500), Part(500), Whole(2)});
  EXPECT_EQ(Waste(TwoGpus(1'000, 400), both), 3 * 400 + 1 * 1'400);
}

TEST(Waste, WithoutCoresNothingCanBeUsed) {
  Bin bin = TwoGpus(1'000, 1'000);
  bin.cpu_milli = 999;
  EXPECT_EQ(Waste(bin, TypicalShapes::Of({Part(500)})), 2'000);
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
