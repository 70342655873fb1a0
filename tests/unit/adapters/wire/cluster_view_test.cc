#include "adapters/wire/views/cluster_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/wire/views/node_detail_view.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// A job of ana's on two GPUs.
void PlaceJob(TestCluster& cluster) {
  JobSpec spec;
  spec.name = "j";
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 2;
  spec.policy.time_limit = Duration::Minutes(60);
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  cluster.Pass();
}

TEST(ClusterView, ShowsWhatTheLedgerHolds) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  PlaceJob(cluster);
  v1::Cluster view;
  ClusterView(cluster.state(), cluster.now(), false, &view);
  ASSERT_EQ(view.nodes_size(), 1);
  EXPECT_EQ(view.nodes(0).gpus(0).state(), v1::ALLOCATED);
  EXPECT_EQ(view.nodes(0).gpus(0).holders(0).job_name(), "j");
  EXPECT_EQ(view.nodes(0).gpus(2).state(), v1::AVAILABLE);
  EXPECT_EQ(view.jobs_running(), 1);
}

TEST(ClusterView, ANodeThatDrainsSaysSinceWhenAndUntilWhen) {
  TestCluster cluster;
  const NodeId id = cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  PlaceJob(cluster);
  v1::Cluster before;
  ClusterView(cluster.state(), cluster.now(), false, &before);
  EXPECT_FALSE(before.nodes(0).has_drain());
  EXPECT_EQ(before.nodes(0).leases_size(), 0) << "only where one node is asked for";
  ASSERT_TRUE(cluster.Execute(ChangeService{id, -1, ServiceAction::kDrain, false, "ana: cables"}));
  v1::Cluster view;
  ClusterView(cluster.state(), cluster.now(), false, &view);
  v1::Node& node = *view.mutable_nodes(0);
  EXPECT_EQ(node.drain().jobs(), 1);
  EXPECT_FALSE(node.drain().since().empty());
  EXPECT_FALSE(node.drain().has_deadline());
  LeasesView(cluster.state(), *cluster.state().FindNode(id), &node);
  ASSERT_EQ(node.leases_size(), 1);
  EXPECT_EQ(node.leases(0).job_id(), "job-1");
  EXPECT_EQ(node.leases(0).user(), "ana");
  EXPECT_EQ(node.leases(0).gpus_size(), 2);
  EXPECT_EQ(node.leases(0).ends_by(), node.drain().empty_by());
}

// Two GPUs are held by a job, and one of these drains.
TEST(ClusterView, TotalsTellWhatIsFreeAndHeld) {
  TestCluster cluster;
  const NodeId id = cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  cluster.AddNode(TestCluster::MakeFacts("n2", {}));
  PlaceJob(cluster);
  ASSERT_TRUE(cluster.Execute(ChangeService{id, 0, ServiceAction::kDrain, false, "ana: fan"}));
  v1::Cluster view;
  ClusterView(cluster.state(), cluster.now(), true, &view);
  const v1::NodeTotals& totals = view.nodes(0).totals();
  EXPECT_EQ(totals.gpus(), 4);
  EXPECT_EQ(totals.gpus_held(), 2);
  EXPECT_EQ(totals.gpus_free(), 2);
  EXPECT_EQ(totals.gpus_out(), 0);
  EXPECT_EQ(totals.gpu_model(), cluster.state().FindNode(id)->facts->gpus[0].model);
  EXPECT_EQ(totals.memory_bytes(), int64_t{1} << 40);
  int cpus = 0;
  for (const NumaFacts& numa : cluster.state().FindNode(id)->facts->numa) cpus += numa.cpus.Count();
  EXPECT_EQ(totals.cpus(), cpus);
  EXPECT_EQ(view.nodes(1).totals().gpus(), 0);
  EXPECT_EQ(view.nodes(1).totals().gpu_model(), "");
  const std::map<std::string, int> states(view.gpus_by_state().begin(), view.gpus_by_state().end());
  EXPECT_THAT(states, UnorderedElementsAre(Pair("ALLOCATED", 1), Pair("AVAILABLE", 2),
                                           Pair("draining", 1)));
}

TEST(ClusterView, OfTotalsAloneHasNoParts) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  for (const bool totals_only : {false, true}) {
    v1::Cluster view;
    ClusterView(cluster.state(), cluster.now(), totals_only, &view);
    EXPECT_EQ(view.nodes(0).gpus_size(), totals_only ? 0 : 4);
    EXPECT_EQ(view.nodes(0).numa_nodes_size(), totals_only ? 0 : 2);
    EXPECT_EQ(view.nodes(0).links().empty(), totals_only);
    EXPECT_EQ(view.nodes(0).totals().gpus(), 4);
  }
}

// Nothing is left to wait for.
TEST(ClusterView, AnIdleGpuThatDrainsIsOffline) {
  TestCluster cluster;
  const NodeId id = cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  ASSERT_TRUE(cluster.Execute(ChangeService{id, 0, ServiceAction::kOffline, false, "ana: fan"}));
  ASSERT_TRUE(cluster.Execute(ChangeService{id, -1, ServiceAction::kDrain, false, "ana: fan"}));
  v1::Cluster view;
  ClusterView(cluster.state(), cluster.now(), true, &view);
  EXPECT_EQ(view.gpus_by_state().at("OFFLINE"), 2);
  EXPECT_EQ(view.nodes(0).totals().gpus_out(), 2);
  EXPECT_EQ(view.nodes(0).totals().gpus_free(), 0);
}

}  // namespace
}  // namespace gp
