#include "domain/scheduling/reasons/never_fits.h"

#include <gtest/gtest.h>

#include <functional>

#include "domain/scheduling/reasons/why_pending.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class NeverFits : public testing::Test {
 protected:
  // Two NUMA nodes of 48 cores and half of the GPUs each.
  NodeId AddNode(const std::string& name, const std::string& model, int64_t memory_mib = 81'920,
                 int gpus = 8) {
    std::vector<int> numa;
    for (int i = 0; i < gpus; ++i) numa.push_back(i * 2 / gpus);
    return cluster_.AddNode(TestCluster::MakeFacts(name, numa, 18, memory_mib, 48, model));
  }

  std::string Why(const std::function<void(JobSpec&)>& edit) const {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 1;
    edit(spec);
    Job job;
    job.user = {"ana", 1, 1};
    job.queue = kDefaultQueue;
    job.pool = kDefaultPool;
    job.spec = std::make_shared<const JobSpec>(spec);
    return WhyNeverFits(cluster_.state(), job);
  }

  TestCluster cluster_;
};

TEST_F(NeverFits, NothingIsKnownBeforeANodeHasJoined) {
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.count = 64; }), "");
}

TEST_F(NeverFits, NamesTheModelAndThoseThatAreThere) {
  AddNode("n1", "H100 80GB HBM3");
  AddNode("n2", "L40S", 46'068);
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.models = {"A100"}; }),
            "no node has an A100; the GPUs are H100 80GB HBM3, L40S");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.models = {"V100", "B200"}; }),
            "no node has a V100 or B200; the GPUs are H100 80GB HBM3, L40S");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.models = {"A100", "L40S"}; }), "");
}

TEST_F(NeverFits, NamesTheFeatureThatNoNodeOffers) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  facts.features = {"images"};
  cluster_.AddNode(facts);
  EXPECT_EQ(Why([](JobSpec& spec) { spec.program.image = "dir:/i"; }), "");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.program.network = NetworkAccess::kNone; }),
            "no node offers network-none");
  AddNode("n2", "A100");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.program.image = "dir:/i";
              spec.program.network = NetworkAccess::kNone;
              spec.resources.nodes = 1;
              spec.resources.gpus.models = {"L40S"};
            }),
            "no node that offers images and network-none has an L40S; the GPUs are A100");
}

TEST_F(NeverFits, NamesTheMemoryAndTheLargest) {
  AddNode("n1", "H100");
  AddNode("n2", "L40S", 46'080);
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.memory_mib_min = 102'400; }),
            "no GPU has 100.0 GiB of memory; the largest has 80.0 GiB");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.memory_mib_min = 81'930; }),
            "no GPU has 81930 MiB of memory; the largest has 81920 MiB");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.memory_mib_min = 81'920; }), "");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.memory_mib_min = 81'920, spec.resources.gpus.models = {"L40S"};
            }),
            "no L40S has 80.0 GiB of memory; the largest has 45.0 GiB");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.isolation = Isolation::kTimeslice,
              spec.resources.gpus.memory_mib = 90'000;
            }),
            "no GPU has 87.8 GiB of memory; the largest has 80.0 GiB");
}

TEST_F(NeverFits, NamesHowGpusWouldHaveToBeShared) {
  AddNode("n1", "H100");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.isolation = Isolation::kMig,
              spec.resources.gpus.memory_mib = 10'000;
            }),
            "no GPU is in MIG mode");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.isolation = Isolation::kMps,
              spec.resources.gpus.share_thousandths = 500;
            }),
            "no node offers MPS on its GPUs");
}

TEST_F(NeverFits, NamesTheNumberOfGpus) {
  AddNode("n1", "H100");
  AddNode("n2", "H100", 81'920, 4);
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.count = 9; }),
            "no node has 9 GPUs; the largest has 8 (request several nodes: --nodes 2)");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.count = 8, spec.resources.nodes = 2; }),
            "needs 2 nodes with 8 GPUs as requested; there is 1");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.gpus.count = 1, spec.resources.nodes = 3; }),
            "needs 3 nodes with 1 GPU as requested; there are 2");
}

TEST_F(NeverFits, DoesNotBlameTheMemoryWhereItIsJustEnough) {
  AddNode("n1", "H100");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.memory_mib_min = 81'920, spec.resources.gpus.count = 9;
            }),
            "no node has 9 GPUs; the largest has 8 (request several nodes: --nodes 2)");
}

TEST_F(NeverFits, TheRanksOfAGangHaveOneModel) {
  AddNode("n1", "H100");
  AddNode("n2", "A100");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.nodes = 2; }),
            "needs 2 nodes with 1 GPU as requested; there is 1");
  AddNode("n3", "A100");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.nodes = 2; }), "");
}

TEST_F(NeverFits, NamesWhatIsMissingBesideGpus) {
  AddNode("n1", "H100");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.resources.cpus = 200; }),
            "no node has 200 cores; the largest has 96");
  EXPECT_EQ(
      Why([](JobSpec& spec) { spec.resources.memory_bytes = int64_t{1} << 50; }).substr(0, 38),
      "no node has 1.0 PiB of memory; the lar");
  EXPECT_EQ(Why([](JobSpec& spec) { spec.placement.node_labels = {{"zone", "east"}}; }),
            "no node has the label zone=east");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.count = 8,
              spec.placement.topology.require = TopologyLevel::kSameNuma;
            }),
            "no node has 8 GPUs as near to each other as its topology requires");
  EXPECT_EQ(Why([](JobSpec& spec) {
              spec.resources.gpus.count = 4,
              spec.placement.topology.require = TopologyLevel::kSameNuma;
            }),
            "");
}

// Whatever is out of service may come back.
TEST_F(NeverFits, NodesAndGpusOutOfServiceCount) {
  const NodeId node = AddNode("n1", "H100");
  const auto eight = [](JobSpec& spec) { spec.resources.gpus.count = 8; };
  ASSERT_TRUE(cluster_.Execute(ChangeService{node, 3, ServiceAction::kOffline, false, "test"}));
  EXPECT_EQ(Why(eight), "");
  ASSERT_TRUE(cluster_.Execute(ChangeService{node, -1, ServiceAction::kDrain, false, "test"}));
  EXPECT_EQ(Why(eight), "");
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{node}));
  EXPECT_EQ(Why(eight), "");
}

TEST_F(NeverFits, OneWayIsEnough) {
  AddNode("n1", "H100");
  const auto two_ways = [](int gpus) {
    return [gpus](JobSpec& spec) {
      spec.resources.gpus.models = {"A100"};
      spec.resources.any_of = {Alternative{.gpus = {.count = gpus}}};
    };
  };
  EXPECT_EQ(Why(two_ways(8)), "");
  EXPECT_EQ(Why(two_ways(9)), "no node has an A100; the GPUs are H100");
}

}  // namespace
}  // namespace gp
