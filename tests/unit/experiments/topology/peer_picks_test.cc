#include "experiments/topology/peer_picks.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/unit/experiments/topology/test_machine.h"

namespace gp {
namespace {

class PeerPicks : public testing::Test {
 protected:
  TopologyMachine machine_ = FourGpus();
  Node node_ = EmptyNode(machine_);
  Rng rng_{1};

  std::vector<int> Counts(const HostPick& pick) const {
    std::vector<int> counts;
    for (const CpuSet& cores : pick.cores) counts.push_back(cores.Count());
    return counts;
  }
};

TEST_F(PeerPicks, LowestTakesGpusAndCoresFromBelow) {
  Occupy(node_, 0);
  OccupyCores(node_, 0, 0, 5);
  const HostPick pick = PickLowest(node_, {2, 5}, rng_);
  EXPECT_EQ(pick.gpus, 0b0110u);
  EXPECT_EQ(Counts(pick), (std::vector{2, 3, 0, 0}));
  EXPECT_EQ(pick.cores[0].ToString(), "6-7");
}

TEST_F(PeerPicks, SocketTakesTheOneThatHoldsAllCoresThenItsGpus) {
  OccupyCores(node_, 0, 0, 7);
  // Nine cores fit on the second socket only.
  const HostPick pick = PickBySocket(node_, {1, 9}, rng_);
  EXPECT_EQ(Counts(pick), (std::vector{0, 0, 8, 1}));
  EXPECT_EQ(pick.gpus, 0b0100u);
}

TEST_F(PeerPicks, SocketPrefersTheOneWithEnoughGpus) {
  Occupy(node_, 1);
  const HostPick pick = PickBySocket(node_, {2, 8}, rng_);
  EXPECT_EQ(Counts(pick), (std::vector{0, 0, 8, 0}));
  EXPECT_EQ(pick.gpus, 0b1100u);
}

TEST_F(PeerPicks, SocketTakesGpusFromElsewhereRatherThanNone) {
  const HostPick pick = PickBySocket(node_, {3, 8}, rng_);
  EXPECT_EQ(Counts(pick), (std::vector{8, 0, 0, 0}));
  EXPECT_EQ(pick.gpus, 0b0111u);
}

TEST_F(PeerPicks, SocketFillsSeveralWhereCoresDoNotFitOnOne) {
  const HostPick pick = PickBySocket(node_, {3, 20}, rng_);
  EXPECT_EQ(Counts(pick), (std::vector{8, 8, 4, 0}));
  EXPECT_EQ(pick.gpus, 0b0111u);
}

TEST_F(PeerPicks, AnyTakesAsManyAsAskedOfWhatIsFree) {
  Occupy(node_, 2);
  OccupyCores(node_, 1, 8, 15);
  std::set<GpuMask> seen;
  for (int i = 0; i < 50; ++i) {
    const HostPick pick = PickAny(node_, {2, 10}, rng_);
    EXPECT_EQ(std::popcount(pick.gpus), 2);
    EXPECT_EQ(pick.gpus & 0b0100u, 0u);
    EXPECT_TRUE(pick.cores[1].Empty());
    EXPECT_EQ(pick.cores[0].Count() + pick.cores[2].Count() + pick.cores[3].Count(), 10);
    seen.insert(pick.gpus);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(PeerPicks, RoomIsJudgedByTheWholeNode) {
  Occupy(node_, 0);
  OccupyCores(node_, 3, 24, 31);
  EXPECT_TRUE(HasRoom(node_, {3, 24}));
  EXPECT_FALSE(HasRoom(node_, {4, 1}));
  EXPECT_FALSE(HasRoom(node_, {1, 25}));
}

}  // namespace
}  // namespace gp
