// What a planner remembers must never show: it plans as one that looks for the first time, and as
// the plain way does.

#include "domain/scheduling/planner.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/scheduling/node_classes.h"
#include "tests/support/plain_plan.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Planning : public testing::Test {
 protected:
  NodeId AddNode(const std::vector<int>& numa = {0, 0, 0, 0, 1, 1, 1, 1}) {
    return cluster_.AddNode(TestCluster::MakeFacts("n" + std::to_string(++nodes_), numa));
  }
  JobId Submit(int gpus, int nodes = 1, const std::string& image = "") {
    JobSpec spec;
    spec.program.image = image;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    spec.resources.nodes = nodes;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    return {cluster_.state().jobs.last};
  }
  // Plans and commits, and compares.
  size_t Pass() {
    const Plan plan = planner_.Schedule(cluster_.state(), cluster_.now());
    EXPECT_EQ(plan.Placements(), PlainPlan(cluster_.state(), cluster_.now()).Placements());
    EXPECT_EQ(plan.Placements(), planner_.Schedule(cluster_.state(), cluster_.now()).Placements());
    for (const PlaceGang& place : plan.Placements()) EXPECT_TRUE(cluster_.Execute(place));
    return plan.Placements().size();
  }
  void Cancel(JobId job) {
    EXPECT_TRUE(cluster_.Execute(StopJob{job, true}));
    ReportNode report;
    for (const LeaseId id : cluster_.state().FindJob(job)->leases) {
      const Lease& lease = *cluster_.state().FindLease(id);
      report = {lease.node, cluster_.state().FindNode(lease.node)->incarnation, {}, {}, {}};
      for (const LeaseId other : cluster_.state().FindNode(lease.node)->leases) {
        LeaseObservation seen{other,          true,           other == id,
                              cluster_.now(), cluster_.now(), {LeaseEnd::kStopped, 0, 0, ""}};
        report.leases.push_back(seen);
      }
      EXPECT_TRUE(cluster_.Execute(report));
    }
  }
  // REQUIRES: no job is there.
  void ReportImages(NodeId node, std::vector<uint64_t> images) {
    const uint64_t incarnation = cluster_.state().FindNode(node)->incarnation;
    EXPECT_TRUE(cluster_.Execute(ReportNode{node, incarnation, {}, {}, std::move(images)}));
  }
  std::vector<NodeId> NodesOf(JobId job) {
    std::vector<NodeId> nodes;
    for (const LeaseId id : cluster_.state().FindJob(job)->leases)
      nodes.push_back(cluster_.state().FindLease(id)->node);
    return nodes;
  }
  void TearDown() override { EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front(); }

  TestCluster cluster_;
  Planner planner_;
  int nodes_ = 0;
};

TEST_F(Planning, FollowsJoinsEndsDrainsAndConditions) {
  const NodeId n1 = AddNode();
  const JobId whole = Submit(8);
  EXPECT_EQ(Pass(), 1u);
  Submit(4);
  EXPECT_EQ(Pass(), 0u);
  const NodeId n2 = AddNode();
  EXPECT_EQ(Pass(), 1u);
  Submit(8);
  EXPECT_EQ(Pass(), 0u);
  Cancel(whole);
  EXPECT_EQ(Pass(), 1u);
  ASSERT_TRUE(cluster_.Execute(ChangeService{n2, -1, ServiceAction::kDrain, false, "test"}));
  Submit(4);
  EXPECT_EQ(Pass(), 0u);
  ASSERT_TRUE(cluster_.Execute(ChangeService{n2, -1, ServiceAction::kOnline, false, ""}));
  EXPECT_EQ(cluster_.state().FindNode(n1)->leases.size(), 1u);
  Pass();
}

TEST_F(Planning, APlanThatIsNotCommittedLeavesNothingBehind) {
  AddNode();
  Submit(8);
  const Plan first = planner_.Schedule(cluster_.state(), cluster_.now());
  ASSERT_EQ(first.Placements().size(), 1u);
  EXPECT_EQ(planner_.Schedule(cluster_.state(), cluster_.now()).Placements(), first.Placements());
}

TEST_F(Planning, ThroughManyRandomSteps) {
  Rng rng(7);
  for (int step = 0; step < 600; ++step) {
    const uint64_t dice = rng.Below(10);
    if (dice < 1 && nodes_ < 12)
      AddNode(rng.Chance(1, 2) ? std::vector<int>{0, 0, 1, 1}
                               : std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1});
    const char* image = rng.Chance(1, 2) ? "train:v1" : "";
    if (dice < 5) Submit(static_cast<int>(rng.Below(9)), 1 + static_cast<int>(rng.Below(3)), image);
    if (const NodeId node{rng.Below(static_cast<uint64_t>(nodes_) + 1)};
        cluster_.state().FindNode(node) != nullptr &&
        cluster_.state().FindNode(node)->leases.empty())
      ReportImages(node,
                   rng.Chance(1, 2) ? std::vector{ImageKey("train:v1")} : std::vector<uint64_t>{});
    if (dice >= 5 && dice < 8 && !cluster_.state().leases.all.empty()) {
      auto lease = cluster_.state().leases.all.begin();
      std::advance(lease,
                   static_cast<std::ptrdiff_t>(rng.Below(cluster_.state().leases.all.size())));
      if (cluster_.state().FindJob(lease->second.job)->spec->resources.nodes == 1)
        Cancel(lease->second.job);
    }
    if (dice == 8) cluster_.Advance(Duration::Minutes(2));
    Pass();
  }
  EXPECT_GT(cluster_.state().leases.last, 80u);
}

TEST_F(Planning, OfEqualNodesThoseWithTheImageComeFirst) {
  std::vector<NodeId> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(AddNode());
  ReportImages(nodes[3], {ImageKey("train:v1")});
  const JobId plain = Submit(8);
  Pass();
  EXPECT_EQ(NodesOf(plain), std::vector{nodes[0]});
  const JobId gang = Submit(8, 2, "docker.io/library/train:v1");
  Pass();
  EXPECT_EQ(NodesOf(gang), (std::vector{nodes[1], nodes[3]}));
}

TEST_F(Planning, TheLayersOfAnImageDecideLast) {
  const NodeId fuller = AddNode();
  const NodeId with_image = AddNode();
  ReportImages(with_image, {ImageKey("train:v1")});
  Submit(2);
  Pass();
  const JobId job = Submit(2, 1, "train:v1");
  Pass();
  EXPECT_EQ(NodesOf(job), std::vector{fuller});
}

// What the tag meant elsewhere does not count once the job's digest is fixed.
TEST_F(Planning, AFixedDigestIsWhatCounts) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  AddNode();
  const NodeId other = AddNode();
  const NodeId with_digest = AddNode();
  ReportImages(other, {ImageKey("train:v1"), ImageKeyOfDigest("sha256:" + std::string(64, 'b'))});
  ReportImages(with_digest, {ImageKeyOfDigest(digest)});
  const JobId job = Submit(8, 1, "train:v1@" + digest);
  Pass();
  EXPECT_EQ(NodesOf(job), std::vector{with_digest});
}

TEST_F(Planning, AJobThatIsPlacedAgainGoesWhereItsDigestIs) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  const NodeId by_name = AddNode();
  ReportImages(by_name, {ImageKey("train:v1")});
  const JobId job = Submit(8, 1, "train:v1");
  Pass();
  ASSERT_EQ(NodesOf(job), std::vector{by_name});
  const LeaseId lease = cluster_.state().FindJob(job)->leases[0];
  LeaseObservation seen{.lease = lease, .image_digest = digest};
  const auto report = [&](NodeId node) {
    return ReportNode{node, cluster_.state().FindNode(node)->incarnation, {seen}, {}};
  };
  ASSERT_TRUE(cluster_.Execute(report(by_name)));
  const NodeId other = AddNode();
  ReportImages(other, {ImageKey("train:v1")});
  const NodeId last = AddNode();
  ReportImages(last, {ImageKeyOfDigest(digest)});
  seen.ended = true;
  seen.outcome = {LeaseEnd::kPlatformFault, 0, 0, "no room"};
  ASSERT_TRUE(cluster_.Execute(report(by_name)));
  cluster_.Advance(Duration::Minutes(60));
  Pass();
  EXPECT_EQ(NodesOf(job), std::vector{last});
}

TEST_F(Planning, TheImagesOfANodeAreBounded) {
  const NodeId node = AddNode();
  std::vector<uint64_t> many(1'000);
  std::iota(many.begin(), many.end(), uint64_t{1});
  ReportImages(node, many);
  EXPECT_EQ(cluster_.state().nodes.images.at(node).size(), kImageKeysMax);
}

TEST_F(Planning, ANodeWithoutTheLayersAnyLongerIsLikeOthers) {
  const NodeId first = AddNode();
  const NodeId other = AddNode();
  ReportImages(other, {ImageKey("train:v1"), 1, 1});
  EXPECT_EQ(cluster_.state().nodes.images.at(other).size(), 2u);
  ReportImages(other, {});
  EXPECT_TRUE(cluster_.state().nodes.by_image.empty());
  const JobId job = Submit(8, 1, "train:v1");
  Pass();
  EXPECT_EQ(NodesOf(job), std::vector{first});
}

TEST_F(Planning, TheLineBehindOneThatFitsGoesOn) {
  AddNode();
  for (int i = 0; i < 5; ++i) Submit(2);
  EXPECT_EQ(Pass(), 4u);
  EXPECT_EQ(cluster_.state().jobs.queued.size(), 1u);
}

TEST(NodeClasses, AlikeNodesAreOneClassAndPatternsComeBack) {
  TestCluster cluster;
  for (int i = 0; i < 5; ++i)
    cluster.AddNode(TestCluster::MakeFacts("n" + std::to_string(i), {0, 0, 1, 1}));
  NodeClasses classes;
  for (const Node& node : cluster.state().nodes.all) classes.Place(node);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_EQ(classes.Of(0).members.size(), 5u);
  Node busy = cluster.state().nodes.all[2];
  busy.gpus[1].share_granted = 500;
  classes.Place(busy);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes.Of(1).members, std::set<NodeId>{NodeId{2}});
  classes.Place(cluster.state().nodes.all[2]);
  EXPECT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes.Of(0).members.size(), 5u);
  EXPECT_TRUE(classes.Of(1).members.empty());
}

TEST(NodeClasses, OtherHardwareIsAnotherClass) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("a", {0, 0, 1, 1}));
  cluster.AddNode(TestCluster::MakeFacts("b", {0, 1, 0, 1}));
  cluster.AddNode(TestCluster::MakeFacts("c", {0, 0, 1, 1}, 0));
  cluster.AddNode(TestCluster::MakeFacts("d", {0, 0, 1, 1}, 18, 40'000));
  cluster.AddNode(TestCluster::MakeFacts("e", {0, 0, 1, 1}, 18, 81'559, 8));
  NodeClasses classes;
  for (const Node& node : cluster.state().nodes.all) classes.Place(node);
  EXPECT_EQ(classes.size(), 5u);
}

}  // namespace
}  // namespace gp
