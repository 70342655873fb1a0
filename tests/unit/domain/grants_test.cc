// What a request takes of a GPU, which slices that is, and what the ledger of a node says after it
// was given and taken back.

#include "domain/cluster/quotas/grants.h"

#include <gtest/gtest.h>

#include <functional>

#include "domain/model/nodes/features.h"
#include "tests/support/mig_models.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

GpuFacts FactsOfMemory(int64_t memory_mib) {
  GpuFacts facts;
  facts.uuid = "GPU-1";
  facts.memory_mib = memory_mib;
  return facts;
}

GpuRequest PartOf(Isolation isolation, int share, int64_t memory_mib) {
  GpuRequest request;
  request.isolation = isolation;
  request.share_thousandths = share;
  request.memory_mib = memory_mib;
  return request;
}

TEST(ModeForARequest, FollowsItsIsolation) {
  EXPECT_EQ(ModeFor(PartOf(Isolation::kExclusive, 1000, 0)), GpuMode::kWhole);
  EXPECT_EQ(ModeFor(PartOf(Isolation::kTimeslice, 500, 0)), GpuMode::kTimeslice);
  EXPECT_EQ(ModeFor(PartOf(Isolation::kMps, 500, 0)), GpuMode::kMps);
  EXPECT_EQ(ModeFor(PartOf(Isolation::kMig, 500, 0)), GpuMode::kMig);
}

TEST(GrantOfARequest, IsTheWholeGpuWhereItIsExclusive) {
  EXPECT_EQ(GrantOf({}, 3, FactsOfMemory(81'559)), (GpuGrant{3, 1000, 81'559}));
}

// Memory follows the share unless it is named, and is rounded down: never more than there is.
TEST(GrantOfARequest, IsItsShareOfTheMemory) {
  struct Case {
    int share;
    int64_t asked_mib;
    int64_t gpu_mib;
    GpuGrant grant;
  };
  const Case cases[] = {
      {500, 0, 81'559, {0, 500, 40'779}},
      {1, 0, 81'559, {0, 1, 81}},
      {1, 0, 999, {0, 1, 0}},
      {999, 0, 1'000, {0, 999, 999}},
      {333, 0, 1'000, {0, 333, 333}},
      {500, 10, 81'559, {0, 500, 10}},
      {500, 90'000, 81'559, {0, 500, 90'000}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(GrantOf(PartOf(Isolation::kTimeslice, one.share, one.asked_mib), 0,
                      FactsOfMemory(one.gpu_mib)),
              one.grant)
        << one.share << " of " << one.gpu_mib;
  }
}

TEST(GrantOfARequest, OfMemoryAloneTakesNoComputeQuota) {
  EXPECT_EQ(GrantOf(PartOf(Isolation::kMps, 1000, 2'000), 0, FactsOfMemory(81'559)),
            (GpuGrant{0, 0, 2'000}));
}

TEST(GrantOfARequest, IsTheSmallestInstanceThatIsLargeEnough) {
  GpuFacts facts = FactsOfMemory(40'000);
  facts.mig = A100Mig();
  const GpuGrant two = GrantOf(PartOf(Isolation::kMig, 250, 0), 0, facts);
  EXPECT_EQ(facts.mig.Find(two.mig_profile)->compute_slices, 2);
  EXPECT_EQ(two.share, 285) << "what the instance has, not what was asked";
  EXPECT_EQ(two.mig_start, kNoMig) << "no place yet";
  const GpuGrant none = GrantOf(PartOf(Isolation::kMig, 500, 100'000), 0, facts);
  EXPECT_EQ(none.mig_profile, kNoMig);
  EXPECT_EQ(none.share, 0);
  EXPECT_EQ(none.memory_mib, 0);
}

TEST(PlacedGrant, HasAPlaceOnlyWhereOneIsFree) {
  GpuFacts facts = FactsOfMemory(40'000);
  facts.mig = A100Mig();
  const GpuRequest whole = PartOf(Isolation::kMig, 999, 0);
  Gpu gpu;
  const GpuGrant placed = PlacedGrantOf(whole, 0, facts, gpu);
  EXPECT_EQ(placed.mig_start, 0);
  EXPECT_EQ(SlicesOf(placed, facts), 0xffU);
  gpu.mig_slices = 1;
  EXPECT_EQ(PlacedGrantOf(whole, 0, facts, gpu).mig_start, kNoMig);
  EXPECT_EQ(PlacedGrantOf({}, 0, FactsOfMemory(1'000), gpu).mig_start, kNoMig) << "no instance";
}

TEST(SlicesOfAGrant, AreNoneUnlessItIsAnInstanceWithAPlace) {
  GpuFacts facts = FactsOfMemory(40'000);
  facts.mig = A100Mig();
  const GpuGrant grant{0, 285, 9'856, 14, 2};
  EXPECT_EQ(SlicesOf(grant, facts), 0b1100U);
  for (const int start : {kNoMig, kMigSlicesMax, 1 << 20}) {
    GpuGrant odd = grant;
    odd.mig_start = start;
    EXPECT_EQ(SlicesOf(odd, facts), 0U) << start;
  }
  GpuGrant unknown = grant;
  unknown.mig_profile = 99;
  EXPECT_EQ(SlicesOf(unknown, facts), 0U);
  EXPECT_EQ(SlicesOf(grant, FactsOfMemory(40'000)), 0U) << "not in MIG mode";
}

TEST(MayUseANode, OfItsPoolAndReservationWithAllItsLabelsAndFeatures) {
  Job job;
  NodeFacts facts;
  facts.features = {"images", "of-a-newer-agent"};
  Node node;
  node.facts = std::make_shared<const NodeFacts>(facts);
  node.labels = {{"zone", "a"}, {"rack", "r1"}};
  node.reservations = {"course"};
  struct Case {
    bool may;
    std::function<void(Job&, JobSpec&)> edit;
  };
  const Case cases[] = {
      {true, [](Job&, JobSpec&) {}},
      {false, [](Job& j, JobSpec&) { j.pool = "big"; }},
      {true, [](Job&, JobSpec& s) { s.placement.node_labels = {{"zone", "a"}}; }},
      {true, [](Job&, JobSpec& s) { s.placement.node_labels = {{"zone", "a"}, {"rack", "r1"}}; }},
      {false, [](Job&, JobSpec& s) { s.placement.node_labels = {{"zone", "b"}}; }},
      {false, [](Job&, JobSpec& s) { s.placement.node_labels = {{"zone", "a"}, {"row", "1"}}; }},
      {false, [](Job&, JobSpec& s) { s.placement.node_labels = {{"zone", ""}}; }},
      {true, [](Job&, JobSpec& s) { s.program.image = "dir:/i"; }},
      {false, [](Job&, JobSpec& s) { s.program.image = "oci:/i"; }},
      {false, [](Job&, JobSpec& s) { s.program.network = NetworkAccess::kNone; }},
      {true, [](Job&, JobSpec& s) { s.placement.reservation = "course"; }},
      {false, [](Job&, JobSpec& s) { s.placement.reservation = "other"; }},
  };
  int number = 0;
  for (const Case& one : cases) {
    JobSpec spec;
    Job changed = job;
    one.edit(changed, spec);
    changed.spec = std::make_shared<const JobSpec>(spec);
    EXPECT_EQ(MayUse(changed, node), one.may) << number++;
  }
}

TEST(MayUseANode, AnImageNeedsWhatItsSourceNeeds) {
  const std::pair<std::string, std::set<std::string>> images[] = {
      {"dir:/i", {kImagesFeature}},
      {"oci:/i", {kImagesFeature, kImageLayersFeature}},
      {"docker-archive:/i", {kImagesFeature, kImageLayersFeature}},
      {"oci-archive:/i", {kImagesFeature, kImageLayersFeature}},
      {"/i.sqsh", {kImagesFeature, kImageLayersFeature, kSquashfsFeature}},
      {"reg.lab/i", {kImagesFeature, kImageLayersFeature, kImagePullFeature}}};
  for (const auto& [image, needed] : images) {
    JobSpec spec;
    spec.program.image = image;
    EXPECT_EQ(FeaturesFor(spec), needed) << image;
  }
}

Node LedgerOf(const NodeFacts& facts) {
  Node node;
  node.facts = std::make_shared<const NodeFacts>(facts);
  node.gpus.resize(facts.gpus.size());
  node.numa.resize(facts.numa.size());
  return node;
}

Lease LeaseOn(uint64_t id, GpuMode mode, std::vector<GpuGrant> gpus) {
  Lease lease;
  lease.id = {id};
  lease.mode = mode;
  lease.gpus = std::move(gpus);
  return lease;
}

TEST(LedgerOfANode, IsAfterALeaseAsBeforeIt) {
  Node node = LedgerOf(TestCluster::MakeFacts("n1", {0, 1}));
  Lease lease = LeaseOn(1, GpuMode::kWhole, {{0, 1000, 81'559}, {1, 1000, 81'559}});
  lease.numa = {{0, CpuSet::Parse("0-3").value(), 100}, {1, CpuSet::Parse("48").value(), 50}};
  HoldGrants(node, lease, "ana");
  EXPECT_EQ(node.leases, std::vector<LeaseId>{{1}});
  EXPECT_EQ(node.gpus[1].mode, GpuMode::kWhole);
  EXPECT_EQ(node.gpus[1].share_granted, 1000);
  EXPECT_EQ(node.gpus[1].memory_granted_mib, 81'559);
  EXPECT_EQ(node.gpus[1].owner, "") << "a whole GPU has one tenant anyway";
  EXPECT_EQ(node.numa[0].memory_granted_mib, 100);
  EXPECT_EQ(node.numa[1].cpus_granted, CpuSet::Parse("48").value());
  ReleaseGrants(node, lease);
  EXPECT_TRUE(node.leases.empty());
  for (const Gpu& gpu : node.gpus) {
    EXPECT_EQ(gpu.mode, GpuMode::kFree);
    EXPECT_EQ(gpu.share_granted, 0);
    EXPECT_EQ(gpu.memory_granted_mib, 0);
    EXPECT_TRUE(gpu.leases.empty());
  }
  for (const NumaLedger& numa : node.numa) {
    EXPECT_TRUE(numa.cpus_granted.Empty());
    EXPECT_EQ(numa.memory_granted_mib, 0);
  }
}

// The mode and the owner stay until the last part is given back.
TEST(LedgerOfANode, OfASharedGpuIsItsUsersUntilTheLastPartIsBack) {
  Node node = LedgerOf(TestCluster::MakeFacts("n1", {0}));
  const Lease first = LeaseOn(1, GpuMode::kMps, {{0, 300, 10}});
  const Lease second = LeaseOn(2, GpuMode::kMps, {{0, 200, 20}});
  HoldGrants(node, first, "ana");
  HoldGrants(node, second, "ana");
  EXPECT_EQ(node.gpus[0].share_granted, 500);
  EXPECT_EQ(node.gpus[0].memory_granted_mib, 30);
  ReleaseGrants(node, first);
  EXPECT_EQ(node.gpus[0].mode, GpuMode::kMps);
  EXPECT_EQ(node.gpus[0].owner, "ana");
  EXPECT_EQ(node.gpus[0].leases, std::vector<LeaseId>{{2}});
  EXPECT_EQ(node.gpus[0].share_granted, 200);
  ReleaseGrants(node, second);
  EXPECT_EQ(node.gpus[0].mode, GpuMode::kFree);
  EXPECT_EQ(node.gpus[0].owner, "");
}

TEST(LedgerOfANode, InstancesBelongToNobodyAndGiveTheirSlicesBack) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0});
  facts.gpus[0].mig = A100Mig();
  Node node = LedgerOf(facts);
  const Lease first = LeaseOn(1, GpuMode::kMig, {{0, 285, 9'856, 14, 0}});
  const Lease second = LeaseOn(2, GpuMode::kMig, {{0, 285, 9'856, 14, 4}});
  HoldGrants(node, first, "ana");
  HoldGrants(node, second, "ben");
  EXPECT_EQ(node.gpus[0].mig_slices, 0b11'0011U);
  EXPECT_EQ(node.gpus[0].owner, "");
  ReleaseGrants(node, first);
  EXPECT_EQ(node.gpus[0].mig_slices, 0b11'0000U);
}

TEST(CheckGpuGrantOfAGpu, RefusesWhatIsNotThere) {
  GpuFacts facts = FactsOfMemory(1'000);
  Gpu gpu;
  gpu.condition = GpuCondition::kAvailable;
  const auto refusal = [&] {
    const Status status = CheckGpuGrant(gpu, facts, GpuMode::kWhole, "ana", {0, 1000, 1'000});
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(refusal(), "");
  for (const GpuPresence presence : {GpuPresence::kMissing, GpuPresence::kRetired}) {
    facts.presence = presence;
    EXPECT_EQ(refusal(), "GPU-1 is not in its node");
  }
  facts.presence = GpuPresence::kPresent;
  gpu.draining = true;
  EXPECT_EQ(refusal(), "GPU-1 is AVAILABLE, draining");
  gpu.draining = false;
  gpu.condition = GpuCondition::kUnlinked;
  EXPECT_EQ(refusal(), "") << "work of one GPU";
}

TEST(CheckGpuGrantOfAGpu, GrantsAWholeGpuWhole) {
  const GpuFacts facts = FactsOfMemory(1'000);
  Gpu gpu;
  gpu.condition = GpuCondition::kAvailable;
  for (const GpuGrant& grant : {GpuGrant{0, 999, 1'000}, GpuGrant{0, 1000, 999}}) {
    const Status status = CheckGpuGrant(gpu, facts, GpuMode::kWhole, "ana", grant);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "GPU-1: a whole GPU is granted whole");
  }
}

TEST(CheckGpuGrantOfAGpu, InMigModeGivesOnlyInstances) {
  GpuFacts facts = FactsOfMemory(40'000);
  facts.mig = A100Mig();
  facts.mps = true;
  Gpu gpu;
  gpu.condition = GpuCondition::kAvailable;
  for (const GpuMode mode : {GpuMode::kWhole, GpuMode::kTimeslice, GpuMode::kMps}) {
    const Status status = CheckGpuGrant(gpu, facts, mode, "ana", {0, 1000, 40'000});
    ASSERT_FALSE(status) << Name(mode);
    EXPECT_EQ(status.error().message, "GPU-1 is in MIG mode");
  }
  const Status none = CheckGpuGrant(gpu, facts, GpuMode::kMig, "ana", {0, 0, 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "GPU-1: no MIG instance is as large as asked");
}

}  // namespace
}  // namespace gp
