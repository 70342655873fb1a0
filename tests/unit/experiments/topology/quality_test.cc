#include "experiments/topology/quality.h"

#include <gtest/gtest.h>

#include "tests/unit/experiments/topology/test_machine.h"

namespace gp {
namespace {

class Quality : public testing::Test {
 protected:
  RankQuality Of(const std::vector<int>& gpus, const std::vector<NumaGrant>& numa) const {
    RankPlacement rank;
    for (const int gpu : gpus) rank.gpus.push_back({gpu, kWholeShare, 0});
    rank.numa = numa;
    return QualityOf(*machine_.facts, *BandwidthTable::Of(machine_), rank);
  }
  static NumaGrant Cores(int numa, int count) {
    NumaGrant grant{numa, {}, 0};
    grant.cpus.AddRange(numa * 8, numa * 8 + count - 1);
    return grant;
  }

  TopologyMachine machine_ = FourGpus(12);
};

TEST_F(Quality, MeanAndWorstPair) {
  const RankQuality quality = Of({0, 1, 2}, {Cores(0, 1)});
  const double across = 16 * 1'969 * 74 / 100;
  EXPECT_EQ(quality.gpus, 3);
  EXPECT_DOUBLE_EQ(quality.mean_pair_mb, (300'000 + 2 * across) / 3);
  EXPECT_EQ(quality.worst_pair_mb, across);
}

TEST_F(Quality, OneGpuHasNoPairs) {
  const RankQuality quality = Of({3}, {Cores(3, 8)});
  EXPECT_EQ(quality.mean_pair_mb, 0);
  EXPECT_EQ(quality.worst_pair_mb, 0);
}

TEST_F(Quality, NearIsANumaNodeOrASocketThatGivesACore) {
  const RankQuality quality = Of({0, 1, 2}, {Cores(0, 2)});
  EXPECT_EQ(quality.gpus_near_numa, 1);
  EXPECT_EQ(quality.gpus_near_socket, 2);
}

TEST_F(Quality, ServedWeighsTheCores) {
  // Two GPUs, eight cores: each should have four beside it.  One has seven, the other one.
  const RankQuality quality = Of({0, 2}, {Cores(0, 7), Cores(2, 1)});
  EXPECT_EQ(quality.gpus_near_numa, 2);
  EXPECT_DOUBLE_EQ(quality.gpus_served_numa, 1 + 1 / 4.0);
  EXPECT_DOUBLE_EQ(Of({0, 2}, {Cores(0, 4), Cores(2, 4)}).gpus_served_numa, 2);
}

TEST_F(Quality, CoresOfTheOtherNumaNodeServeTheSocketOnly) {
  const RankQuality quality = Of({0}, {Cores(1, 4)});
  EXPECT_DOUBLE_EQ(quality.gpus_served_numa, 0);
  EXPECT_DOUBLE_EQ(quality.gpus_served_socket, 1);
}

}  // namespace
}  // namespace gp
