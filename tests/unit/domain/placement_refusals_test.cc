// Each refusal of a placement, proposed by hand: zero oversubscription rests on these, whoever
// plans.

#include <gtest/gtest.h>

#include <functional>

#include "domain/cluster/quotas/grants.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int64_t kGpuMemory = 81'559;

class PlacementRefusals : public testing::Test {
 protected:
  PlacementRefusals() {
    n1_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
    n2_ = cluster_.AddNode(TestCluster::MakeFacts("n2", {0, 0, 1, 1}));
  }

  JobId Submit(const std::function<void(JobSpec&)>& edit = {}, const std::string& user = "ana") {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.cpus = 1;
    spec.resources.memory_bytes = 1 << 20;
    if (edit) edit(spec);
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}})
                    .has_value());
    return {cluster_.state().jobs.last};
  }
  static std::function<void(JobSpec&)> Share(int share, int64_t memory_mib = 0) {
    return [=](JobSpec& spec) {
      spec.resources.gpus.isolation = Isolation::kTimeslice;
      spec.resources.gpus.share_thousandths = share;
      spec.resources.gpus.memory_mib = memory_mib;
    };
  }
  // GPU 0 of n1, whole, with core 0 and 1 MiB.
  PlaceGang Good(JobId job) const {
    CpuSet core;
    core.Add(0);
    return {1, job, {{n1_, {{0, 1000, kGpuMemory}}, {{0, core, 1}}}}, ""};
  }
  // A part of GPU 0 of n1, with a core that no other has, and 1 MiB.
  PlaceGang Shared(JobId job, int share, int64_t memory_mib) {
    CpuSet core;
    core.Add(++last_core_);
    return {1, job, {{n1_, {{0, share, memory_mib}}, {{0, core, 1}}}}, ""};
  }
  void ExpectPlaced(const PlaceGang& place) {
    const auto events = cluster_.Execute(place);
    EXPECT_TRUE(events.has_value()) << events.error().message;
  }
  void ExpectRefused(const PlaceGang& place, const std::string& message,
                     ErrorCode code = ErrorCode::kConflict) {
    const auto events = cluster_.Execute(place);
    ASSERT_FALSE(events.has_value()) << message;
    EXPECT_EQ(events.error().code, code);
    EXPECT_NE(events.error().message.find(message), std::string::npos) << events.error().message;
  }
  void TearDown() override { EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front(); }

  TestCluster cluster_;
  int last_core_ = 0;
  NodeId n1_;
  NodeId n2_;
};

// A plan may be older than the hardware that it is committed on.
TEST_F(PlacementRefusals, WhereTheGpusAreNotJoinedAsTheJobRequires) {
  const NodeId apart = cluster_.AddNode(TestCluster::MakeFacts("n3", {0, 0, 1, 1}, 0));
  const auto requiring = [&](TopologyLevel level, bool across) {
    return Submit([=](JobSpec& spec) {
      spec.resources.gpus.count = 2;
      spec.placement.topology.require = level;
      spec.placement.topology.allow_cross_numa = across;
    });
  };
  const auto on = [&](JobId job, NodeId node, int other) {
    PlaceGang place = Good(job);
    place.ranks[0].node = node;
    place.ranks[0].gpus.push_back({other, 1000, kGpuMemory});
    return place;
  };
  const JobId linked = requiring(TopologyLevel::kNvlink, true);
  ExpectRefused(on(linked, apart, 1), "GPU-n3-0 and GPU-n3-1 are not joined by NVLink");
  ExpectPlaced(on(linked, n1_, 2));
  for (const JobId near :
       {requiring(TopologyLevel::kSameNuma, true), requiring(TopologyLevel::kNone, false)}) {
    ExpectRefused(on(near, apart, 2), "GPU-n3-0 and GPU-n3-2 are of two NUMA nodes");
  }
  ExpectPlaced(on(requiring(TopologyLevel::kNone, false), n2_, 1));
}

TEST_F(PlacementRefusals, BeyondALimitOfItsQueue) {
  const JobId first = Submit();
  const JobId second = Submit();
  SetQueue set;
  set.name = kDefaultQueue;
  set.limit.gpus = 1;
  ASSERT_TRUE(cluster_.Execute(set).has_value());
  ExpectPlaced(Good(first));
  PlaceGang beside = Good(second);
  beside.ranks[0].node = n2_;
  ExpectRefused(beside, "queue default has a limit of 1 GPU: 1 in use, 1 more requested");
}

TEST_F(PlacementRefusals, OnANodeThatIsReservedWhileItWouldStay) {
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  reserve.reservation.nodes = {n1_};
  reserve.reservation.starts_at = cluster_.now() + Duration::Minutes(10);
  reserve.reservation.ends_at = cluster_.now() + Duration::Minutes(20);
  ASSERT_TRUE(cluster_.Execute(reserve).has_value());
  const auto limited = [](int minutes) {
    return [minutes](JobSpec& spec) {
      spec.policy.time_limit = Duration::Minutes(minutes);
      spec.policy.grace = Duration{};
    };
  };
  ExpectRefused(Good(Submit()), "node n1 is reserved for course");
  ExpectRefused(Good(Submit(limited(10))), "node n1 is reserved for course");
  ExpectPlaced(Good(Submit(limited(9))));
}

TEST_F(PlacementRefusals, TheGoodOneIsTaken) { ExpectPlaced(Good(Submit())); }

TEST_F(PlacementRefusals, JobsThatDoNotWait) {
  ExpectRefused(Good({99}), "no job", ErrorCode::kNotFound);
  const JobId job = Submit();
  ExpectPlaced(Good(job));
  ExpectRefused(Good(job), "is STARTING, not QUEUED");
}

TEST_F(PlacementRefusals, PartOfAGang) {
  const JobId job = Submit([](JobSpec& spec) { spec.resources.nodes = 2; });
  PlaceGang place = Good(job);
  ExpectRefused(place, "a gang of 2 nodes was placed on 1");
  place.ranks.push_back(place.ranks[0]);
  ExpectRefused(place, "two ranks on one node");
  place.ranks[1].node = {7};
  ExpectRefused(place, "no node", ErrorCode::kNotFound);
  EXPECT_TRUE(cluster_.state().leases.all.empty());
  place.ranks[1].node = n2_;
  ExpectPlaced(place);
}

TEST_F(PlacementRefusals, OneRankThatDoesNotFitRefusesAll) {
  ExpectPlaced(Good(Submit()));
  PlaceGang place = Good(Submit([](JobSpec& spec) { spec.resources.nodes = 2; }));
  place.ranks.push_back(place.ranks[0]);
  place.ranks[0].node = n2_;
  ExpectRefused(place, "is held by lease-1");
  EXPECT_EQ(cluster_.state().leases.all.size(), 1u);
}

TEST_F(PlacementRefusals, OtherGpusThanAsked) {
  const JobId job = Submit([](JobSpec& spec) { spec.resources.gpus.count = 2; });
  PlaceGang place = Good(job);
  ExpectRefused(place, "2 GPUs asked, 1 placed");
  for (const int second : {0, -1, 4}) {
    place.ranks[0].gpus = {{0, 1000, kGpuMemory}, {second, 1000, kGpuMemory}};
    ExpectRefused(place, "distinct, known and in order");
  }
  place.ranks[0].gpus = {{0, 1000, kGpuMemory}, {1, 500, kGpuMemory}};
  ExpectRefused(place, "not what the job asked for");
  place.ranks[0].gpus[1] = {1, 1000, kGpuMemory - 1};
  ExpectRefused(place, "not what the job asked for");
}

TEST_F(PlacementRefusals, GpusThatMayNotBeGranted) {
  const JobId job = Submit();
  const auto see = [&](bool healthy, bool lost) {
    ASSERT_TRUE(cluster_.Execute(ReportNode{n1_, 1, {}, {{0, healthy, lost, "test"}}}).has_value());
  };
  see(false, false);
  ExpectRefused(Good(job), "is SUSPECT");
  see(true, false);
  ExpectRefused(Good(job), "is TESTING");
  see(true, false);
  see(true, true);
  ExpectRefused(Good(job), "is LOST");
  see(true, false);
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{n1_, 0, ServiceAction::kDrain, false, "test"}).has_value());
  ExpectRefused(Good(job), "is OFFLINE, draining");
}

TEST_F(PlacementRefusals, NodesThatTakeNothing) {
  const JobId job = Submit([](JobSpec& spec) { spec.resources.gpus.count = 0; });
  PlaceGang place{1, job, {{n1_, {}, {}}}, ""};
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{n1_, -1, ServiceAction::kDrain, false, "test"}).has_value());
  ExpectRefused(place, "takes no new work");
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{n2_}).has_value());
  place.ranks[0].node = n2_;
  ExpectRefused(place, "takes no new work");
}

TEST_F(PlacementRefusals, WholeGpusAreNotShared) {
  ExpectPlaced(Shared(Submit(Share(100)), 100, kGpuMemory / 10));
  ExpectRefused(Good(Submit()), "is held by");
}

TEST_F(PlacementRefusals, AGpuHeldWholeIsNotShared) {
  ExpectPlaced(Good(Submit()));
  ExpectRefused(Shared(Submit(Share(1, 1)), 1, 1), "is in use as whole");
  ExpectRefused(Shared(Submit(Share(1000, 1)), 0, 1), "is in use as whole");
}

TEST_F(PlacementRefusals, AnotherUsersJobs) {
  ExpectPlaced(Shared(Submit(Share(100)), 100, kGpuMemory / 10));
  ExpectRefused(Shared(Submit(Share(100), "ben"), 100, kGpuMemory / 10),
                "shared by another user's jobs");
}

TEST_F(PlacementRefusals, MoreComputeThanThereIs) {
  ExpectPlaced(Shared(Submit(Share(600, 1)), 600, 1));
  ExpectRefused(Shared(Submit(Share(401, 1)), 401, 1), "400 thousandths left, 401 asked");
  ExpectPlaced(Shared(Submit(Share(400, 1)), 400, 1));
}

TEST_F(PlacementRefusals, MoreMemoryThanThereIs) {
  ExpectPlaced(Shared(Submit(Share(1, 81'558)), 1, 81'558));
  ExpectRefused(Shared(Submit(Share(1, 2)), 1, 2), "1 MiB left, 2 asked");
  ExpectPlaced(Shared(Submit(Share(1, 1)), 1, 1));
}

TEST_F(PlacementRefusals, ModesThatAreNotOffered) {
  const Node& node = cluster_.state().nodes.all[0];  // its GPUs cannot do MPS
  for (const auto& [mode, why] : {std::pair(GpuMode::kMps, "mps is not offered here"),
                                  std::pair(GpuMode::kMig, "is not in MIG mode")}) {
    const Status status =
        CheckGpuGrant(node.gpus[0], node.facts->gpus[0], mode, "ana", {0, 500, 1'000});
    ASSERT_FALSE(status.has_value());
    EXPECT_NE(status.error().message.find(why), std::string::npos) << status.error().message;
  }
}

TEST_F(PlacementRefusals, NegativeGrants) {
  const Node& node = cluster_.state().nodes.all[0];
  for (const GpuGrant& grant : {GpuGrant{0, -1, 1}, GpuGrant{0, 1, -1}}) {
    const Status status =
        CheckGpuGrant(node.gpus[0], node.facts->gpus[0], GpuMode::kTimeslice, "ana", grant);
    ASSERT_FALSE(status.has_value());
    EXPECT_NE(status.error().message.find("negative grant"), std::string::npos);
  }
}

TEST_F(PlacementRefusals, CoresAndHostMemory) {
  ExpectPlaced(Good(Submit()));
  PlaceGang place = Good(Submit());
  place.ranks[0].gpus[0].gpu = 1;
  ExpectRefused(place, "cores already held");
  place.ranks[0].numa[0].cpus = CpuSet::Parse("48").value();  // of the other NUMA node
  ExpectRefused(place, "lacks these cores");
  place.ranks[0].numa[0].cpus = CpuSet::Parse("1").value();
  place.ranks[0].numa[0].memory_mib = 512 * 1024;
  ExpectRefused(place, "524287 MiB of memory left, 524288 asked");
  place.ranks[0].numa[0].memory_mib = -1;
  ExpectRefused(place, "of memory left");
  for (const int numa : {-1, 2}) {
    place.ranks[0].numa[0].numa = numa;
    ExpectRefused(place, "NUMA nodes of a rank are distinct, known and in order");
  }
  place.ranks[0].numa = {{1, {}, 1}, {0, {}, 1}};
  ExpectRefused(place, "NUMA nodes of a rank are distinct, known and in order");
}

// A rank without cores of its own would use those of its neighbours.
TEST_F(PlacementRefusals, OtherCoresOrHostMemoryThanAsked) {
  const JobId job = Submit([](JobSpec& spec) { spec.resources.cpus = 2; });
  ExpectRefused(Good(job), "2 cores and 1 MiB of memory asked, 1 and 1 placed");
  PlaceGang place = Good(job);
  place.ranks[0].numa.clear();
  ExpectRefused(place, "2 cores and 1 MiB of memory asked, 0 and 0 placed");
  place = Good(job);
  place.ranks[0].numa[0].cpus = CpuSet::Parse("0-2").value();
  ExpectRefused(place, "2 cores and 1 MiB of memory asked, 3 and 1 placed");
  place.ranks[0].numa[0] = {0, CpuSet::Parse("0-1").value(), 2};
  ExpectRefused(place, "2 cores and 1 MiB of memory asked, 2 and 2 placed");
  place.ranks[0].numa[0].memory_mib = 1;
  ExpectPlaced(place);
}

TEST_F(PlacementRefusals, OtherCoresThanTheWholeGpusBring) {
  const JobId job = Submit([](JobSpec& spec) { spec.resources.cpus = 0; });
  ExpectRefused(Good(job), "24 cores and 1 MiB of memory asked, 1 and 1 placed");
  PlaceGang place = Good(job);
  place.ranks[0].numa[0].cpus = CpuSet::Parse("0-23").value();
  ExpectPlaced(place);
}

TEST_F(PlacementRefusals, WhatIsGivenBackMayBeGrantedAgain) {
  for (int i = 0; i < 3; ++i) {
    ExpectPlaced(Good(Submit()));
    const LeaseId lease{cluster_.state().leases.last};
    LeaseObservation seen;
    seen.lease = lease;
    seen.ended = true;
    ASSERT_TRUE(cluster_.Execute(ReportNode{n1_, 1, {seen}, {}}).has_value());
  }
  EXPECT_EQ(cluster_.state().queues.accounts.at({"default", "ana"}).held, Holding{});
}

TEST_F(PlacementRefusals, AnythingWhileACutJournalsLeasesMayBeLive) {
  // Given for 60 s and 6 s more; the policy that starts after the cut gives 10 s.
  Policy before = cluster_.state().policy;
  before.lease_time = Duration::Seconds(60);
  Policy after = before;
  after.lease_time = Duration::Seconds(10);
  const JobId job = Submit();
  ASSERT_TRUE(cluster_.Execute(StartController{before, 1, false}));
  ASSERT_TRUE(cluster_.Execute(StartController{after, 2, true}));
  ASSERT_TRUE(cluster_.Execute(StartController{after, 0, false}));
  EXPECT_EQ(cluster_.state().lineage, 2u);
  cluster_.Advance(Duration::Seconds(60) + before.lease_end_time - Duration{1});
  ExpectRefused(Good(job), "may still be live");
  cluster_.Advance(Duration{1});
  ExpectPlaced(Good(job));
}

// A node that is cut off holds leases for as long as the policy of before says.
TEST_F(PlacementRefusals, AnythingWhileLongerLeasesMayBeLive) {
  Policy before = cluster_.state().policy;
  before.lease_time = Duration::Seconds(60);
  Policy after = before;
  after.lease_time = Duration::Seconds(10);
  const JobId job = Submit();
  ASSERT_TRUE(cluster_.Execute(StartController{before, 1, false}));
  ASSERT_TRUE(cluster_.Execute(StartController{after, 0, false}));
  cluster_.Advance(Duration::Seconds(30));
  // Another start does not shorten it.
  ASSERT_TRUE(cluster_.Execute(StartController{after, 0, false}));
  cluster_.Advance(Duration::Seconds(30) + before.lease_end_time - Duration{1});
  ExpectRefused(Good(job), "may still be live");
  cluster_.Advance(Duration{1});
  ExpectPlaced(Good(job));
}

}  // namespace
}  // namespace gp
