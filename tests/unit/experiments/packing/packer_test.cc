#include "experiments/packing/packer.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace gp {
namespace {

Bin Gpus(int count, int64_t cpu_milli = 64'000) {
  Bin bin{.cpu_milli = cpu_milli, .memory_mib = 262'144, .gpus = count};
  for (int i = 0; i < count; ++i) bin.free[static_cast<size_t>(i)] = kWholeGpu;
  return bin;
}
constexpr Shape Part(int share) { return {.cpu_milli = 4'000, .gpus = 1, .share = share}; }
constexpr Shape Whole(int gpus) { return {.cpu_milli = 4'000, .gpus = gpus, .share = kWholeGpu}; }

Packer Of(const char* policy, std::vector<Bin> bins,
          const std::vector<Shape>& seen = {Part(500), Whole(2)}) {
  return Packer(*FindPackingPolicy(policy), std::move(bins), TypicalShapes::Of(seen));
}

TEST(Policies, AreFoundByName) {
  EXPECT_EQ(FindPackingPolicy("worst"), nullptr);
  for (const PackingPolicy& policy : PackingPolicies())
    EXPECT_EQ(FindPackingPolicy(policy.name), &policy);
}

TEST(BestFit, TakesTheNodeThatIsLeftWithLeast) {
  Packer packer = Of("bestfit", {Gpus(8), Gpus(2), Gpus(4)});
  EXPECT_EQ(packer.Choose(Whole(1))->bin, 1u);
  EXPECT_EQ(packer.Choose(Whole(3))->bin, 2u);
  EXPECT_FALSE(packer.Choose(Whole(9)).has_value());
}

TEST(DotProduct, TakesTheNodeWithLeastOfWhatIsAskedFor) {
  Packer packer = Of("dotprod", {Gpus(8), Gpus(2)});
  EXPECT_EQ(packer.Choose(Whole(1))->bin, 1u);
}

TEST(Packing, PrefersSharedGpusThenNodesInUse) {
  Packer packer = Of("packing", {Gpus(8), Gpus(8), Gpus(8)});
  packer.Place(Part(300), {1, 5});
  EXPECT_EQ(packer.Choose(Part(500))->bin, 1u);
  EXPECT_EQ(packer.Choose(Part(500))->gpu, 5);
  EXPECT_EQ(packer.Choose(Part(800))->bin, 1u);  // an idle GPU of the node in use
  EXPECT_EQ(packer.Choose(Part(800))->gpu, 0);
}

TEST(Clustering, KeepsKindsTogether) {
  Packer packer = Of("clustering", {Gpus(8), Gpus(8), Gpus(8)});
  packer.Place(Whole(1), {0, -1});
  packer.Place(Part(500), {1, 0});
  EXPECT_EQ(packer.Choose(Whole(1))->bin, 0u);
  EXPECT_EQ(packer.Choose(Part(500))->bin, 1u);
  EXPECT_EQ(packer.Choose(Whole(4))->bin, 2u);  // of its kind there is none yet: an idle node
}

TEST(Fgd, FillsTheHoleThatNobodyElseCanUse) {
  Bin with_hole = Gpus(2);
  with_hole.free[0] = 400;  // too small for the typical half
  Packer packer = Of("fgd", {Gpus(2), with_hole});
  const auto choice = packer.Choose(Part(400));
  EXPECT_EQ(choice->bin, 1u);
  EXPECT_EQ(choice->gpu, 0);
}

TEST(Default, LeavesScarceGpusToThoseWhoNeedThem) {
  Bin rare = Gpus(2);
  rare.model = 1;
  Shape picky = Part(500);
  picky.models = 0b10;
  std::vector<Bin> bins{rare, Gpus(2), Gpus(2), Gpus(2)};
  TypicalShapes typical = TypicalShapes::Of({Part(500), picky}, 100);
  typical.Weigh(bins);
  Packer packer(*FindPackingPolicy("default"), bins, typical);
  EXPECT_EQ(packer.Choose(Part(500))->bin, 1u);
  EXPECT_EQ(packer.Choose(picky)->bin, 0u);
}

TEST(Packer, AmongEqualsTheFirstIsTaken) {
  Packer packer = Of("bestfit", {Gpus(4), Gpus(4), Gpus(4)});
  EXPECT_EQ(packer.Choose(Whole(1))->bin, 0u);
}

// What is kept between calls must never show.
TEST(Packer, ChoosesAsOneThatRemembersNothing) {
  for (const PackingPolicy& policy : PackingPolicies()) {
    if (policy.is_random) continue;
    Rng rng(7);
    std::vector<Bin> bins;
    for (int i = 0; i < 12; ++i)
      bins.push_back(Gpus(rng.Between(0, 8), 1'000 * rng.Between(8, 96)));
    const std::vector<Shape> shapes{Part(250), Part(500), Part(700),           Whole(1),
                                    Whole(2),  Whole(8),  {.cpu_milli = 9'000}};
    Packer packer(policy, bins, TypicalShapes::Of(shapes, 100));
    for (int step = 0; step < 200; ++step) {
      const Shape& shape = shapes[rng.Below(shapes.size())];
      const auto kept = packer.Choose(shape);
      const auto fresh =
          Packer(policy, packer.bins(), TypicalShapes::Of(shapes, 100)).Choose(shape);
      ASSERT_EQ(kept.has_value(), fresh.has_value());
      if (!kept) continue;
      ASSERT_EQ(kept->bin, fresh->bin) << policy.name << " step " << step;
      ASSERT_EQ(kept->gpu, fresh->gpu);
      packer.Place(shape, *kept);
    }
  }
}

}  // namespace
}  // namespace gp
