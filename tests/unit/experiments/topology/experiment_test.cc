#include "experiments/topology/experiment.h"

#include <gtest/gtest.h>

#include "tests/unit/experiments/topology/test_machine.h"

namespace gp {
namespace {

TopologyResult Play(std::string_view policy, const TopologyDemand& demand, int nvlinks = 0) {
  const TopologyMachine machine = FourGpus(nvlinks);
  return RunTopology(machine, *BandwidthTable::Of(machine), *FindTopologyPolicy(policy), demand);
}

constexpr TopologyDemand kDemand{.nodes = 6, .jobs = 1'500, .load_percent = 85, .seed = 3};

TEST(TopologyExperiment, EveryPolicyPlacesEveryJob) {
  for (const NamedTopologyPolicy& policy : TopologyPolicies()) {
    const TopologyResult result = Play(policy.name, kDemand);
    EXPECT_EQ(result.jobs, 1'350) << policy.name;
    EXPECT_GT(result.pairs.ranks, 500) << policy.name;
    EXPECT_GT(result.used_pct, 70) << policy.name;
    EXPECT_LE(result.used_pct, 85.1) << policy.name;
    EXPECT_GE(result.near_numa_pct, result.served_numa_pct) << policy.name;
    EXPECT_GE(result.served_socket_pct, result.served_numa_pct) << policy.name;
  }
}

TEST(TopologyExperiment, TheSameSeedGivesTheSameResult) {
  for (const NamedTopologyPolicy& policy : TopologyPolicies()) {
    const TopologyResult one = Play(policy.name, kDemand);
    const TopologyResult two = Play(policy.name, kDemand);
    EXPECT_EQ(one.pairs.mean_gb_s, two.pairs.mean_gb_s);
    EXPECT_EQ(one.mean_wait_s, two.mean_wait_s);
    EXPECT_EQ(one.served_numa_pct, two.served_numa_pct);
  }
}

TEST(TopologyExperiment, WhoKnowsTheLinksUsesThem) {
  // Only GPUs 0 and 1 are linked; on an idle cluster each pair can have them.
  const TopologyDemand idle{.nodes = 20, .jobs = 400, .load_percent = 5, .seed = 3};
  EXPECT_GT(Play("default", idle, 12).by_gpus.at(2).worst_gb_s, 250);
  EXPECT_LT(Play("random", idle, 12).by_gpus.at(2).worst_gb_s, 120);
}

TEST(TopologyExperiment, AnEmptyClusterKeepsNobodyWaiting) {
  const TopologyDemand idle{.nodes = 20, .jobs = 200, .load_percent = 2, .seed = 3};
  for (const NamedTopologyPolicy& policy : TopologyPolicies())
    EXPECT_EQ(Play(policy.name, idle).mean_wait_s, 0) << policy.name;
}

TEST(TopologyExperiment, PoliciesAreFoundByName) {
  EXPECT_EQ(FindTopologyPolicy("socket")->name, "socket");
  EXPECT_EQ(FindTopologyPolicy("sockets"), nullptr);
}

}  // namespace
}  // namespace gp
