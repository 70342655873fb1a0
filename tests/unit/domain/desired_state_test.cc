#include "domain/node/desired_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Orders : public testing::Test {
 protected:
  Orders() {
    for (const char* name : {"n1", "n2", "n3"})
      nodes_.push_back(cluster_.AddNode(TestCluster::MakeFacts(name, {0, 0})));
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 2;
    spec.resources.nodes = 2;
    Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 7, 8}});
    placed_ = cluster_.Pass();
  }
  std::vector<Event> Tell(const Command& command) { return cluster_.Execute(command).value(); }
  std::set<NodeId> Touched(const std::vector<Event>& events) const {
    return NodesToUpdate(cluster_.state(), events);
  }

  TestCluster cluster_;
  std::vector<NodeId> nodes_;
  std::vector<Event> placed_;
};

TEST_F(Orders, SayEverythingThatARankNeeds) {
  const NodeDesiredState desired = DesiredStateFor(cluster_.state(), nodes_[1]);
  EXPECT_EQ(desired.epoch, 1u);
  ASSERT_EQ(desired.leases.size(), 1u);
  const DesiredLease& desired_lease = desired.leases[0];
  Lease lease = *cluster_.state().FindLease({2});
  lease.metered_until = {};  // no node's business
  EXPECT_EQ(desired_lease.lease, lease);
  EXPECT_EQ(desired_lease.lease.rank, 1);
  EXPECT_EQ(desired_lease.user, (User{"ana", 7, 8}));
  EXPECT_EQ(desired_lease.spec, cluster_.state().FindJob({1})->spec);
  EXPECT_THAT(desired_lease.node_names, ElementsAre("n1", "n2"));
  EXPECT_EQ(desired_lease.master_address, "127.0.0.1");
  EXPECT_TRUE(desired_lease.lease.stop_on_loss);
  EXPECT_THAT(DesiredStateFor(cluster_.state(), nodes_[2]).leases, IsEmpty());
}

TEST_F(Orders, RanksSpeakToTheFirstNodeByName) {
  NodeFacts facts = TestCluster::MakeFacts("real", {0});
  facts.simulated = false;
  cluster_.AddNode(facts);
  JobSpec spec;
  spec.program.command = {"run"};
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 7, 8}});
  cluster_.Pass();
  const NodeId node = cluster_.state().FindLease({3})->node;
  const auto& name = cluster_.state().FindNode(node)->facts->name;
  EXPECT_EQ(DesiredStateFor(cluster_.state(), node).leases[0].master_address,
            name == "real" ? "real" : "127.0.0.1");
}

// Each rank removes its own: its node may have a disk of its own.
TEST_F(Orders, SurplusCheckpointsAreRemovedWhereTheyWereWritten) {
  Tell(StopJob{{1}, true});
  for (int rank = 0; rank < 2; ++rank) {
    LeaseObservation ended{{static_cast<uint64_t>(rank) + 1}, false, true};
    Tell(ReportNode{nodes_[static_cast<size_t>(rank)], 1, {ended}, {}});
  }
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 2;
  spec.resources.nodes = 2;
  spec.recovery.checkpoint = {.directory = "/c", .keep = 1};
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 7, 8}});
  cluster_.Pass();
  std::vector<Checkpoint> written[2];
  const auto save = [&](int rank, const std::string& path) {
    const NodeId node = nodes_[static_cast<size_t>(rank)];
    Checkpoint one;
    one.number = static_cast<int64_t>(written[rank].size()) + 1;
    one.path = path;
    one.is_complete = true;
    written[rank].push_back(one);
    LeaseObservation seen{DesiredStateFor(cluster_.state(), node).leases[0].lease.id, true, false,
                          cluster_.now()};
    seen.checkpoints = written[rank];
    return Touched(Tell(ReportNode{node, 1, {seen}, {}}));
  };
  const auto surplus = [&](int rank) {
    return DesiredStateFor(cluster_.state(), nodes_[static_cast<size_t>(rank)]).leases[0].surplus;
  };
  EXPECT_THAT(save(0, "/c/a"), ElementsAre(nodes_[0]));
  EXPECT_THAT(save(1, "/c/b"), ElementsAre(nodes_[0], nodes_[1]))
      << "where the rank runs that wrote it, too";
  EXPECT_THAT(surplus(0), ElementsAre("/c/a"));
  EXPECT_THAT(surplus(1), IsEmpty());
  save(0, "/c/d");
  EXPECT_THAT(surplus(0), ElementsAre("/c/a"));
  EXPECT_THAT(surplus(1), ElementsAre("/c/b"));
}

// Only complete checkpoints have copies, because a node reports them once they are copied.
TEST_F(Orders, CopiesAreNamedForThoseWhoResumeAndRemove) {
  Tell(StopJob{{1}, true});
  for (int rank = 0; rank < 2; ++rank) {
    LeaseObservation ended{{static_cast<uint64_t>(rank) + 1}, false, true};
    Tell(ReportNode{nodes_[static_cast<size_t>(rank)], 1, {ended}, {}});
  }
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 2;
  spec.recovery.checkpoint = {.directory = "/c", .copy_to = "s3://ckpt"};
  Tell(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 7, 8}});
  cluster_.Pass();
  const NodeId node = cluster_.state().FindLease({3})->node;
  const auto desired = [&] { return DesiredStateFor(cluster_.state(), node).leases.at(0); };
  EXPECT_THAT(desired().copies, IsEmpty());
  LeaseObservation seen{{3}, true, false, cluster_.now()};
  seen.checkpoints = {{.number = 1, .step = 5, .path = "/c/a", .is_complete = true},
                      {.number = 2, .step = 9, .path = "/c/b", .is_complete = false}};
  EXPECT_THAT(Touched(Tell(ReportNode{node, 1, {seen}, {}})), ElementsAre(node))
      << "it removes old ones by them";
  EXPECT_THAT(desired().copies, ElementsAre("attempt-1.rank-0.1"));
  EXPECT_EQ(desired().checkpoints_seen, 2);
  EXPECT_EQ(desired().resume_copy, "") << "the attempt itself resumes from nothing";
  seen.running = false;
  seen.ended = true;
  seen.outcome.end = LeaseEnd::kPlatformFault;
  Tell(ReportNode{node, 1, {seen}, {}});
  cluster_.Advance(Duration::Minutes(10));
  cluster_.Pass();
  const Lease* lease = cluster_.state().FindLease({4});
  ASSERT_NE(lease, nullptr);
  const DesiredLease next = DesiredStateFor(cluster_.state(), lease->node).leases.at(0);
  EXPECT_EQ(next.resume_from, "/c/a");
  EXPECT_EQ(next.resume_copy, "attempt-1.rank-0.1");
}

TEST_F(Orders, AllRanksOfAnAttemptGoOnFromTheSame) {
  const auto saved = [&](uint64_t lease, const std::string& path) {
    LeaseObservation seen{{lease}, true, false, cluster_.now()};
    Checkpoint one;
    one.number = 1;
    one.path = path;
    one.is_complete = true;
    seen.checkpoints = {one};
    return seen;
  };
  const auto goes_on = [&](size_t rank) {
    const RankRecord& record = cluster_.state().FindJob({1})->attempts.back().ranks[rank];
    const NodeDesiredState desired = DesiredStateFor(cluster_.state(), record.node);
    return std::ranges::find(
               desired.leases, record.lease,
               [](const DesiredLease& desired_lease) { return desired_lease.lease.id; })
        ->resume_from;
  };
  Tell(ReportNode{nodes_[0], 1, {saved(1, "/c/a")}, {}});
  EXPECT_EQ(goes_on(0), "");
  EXPECT_EQ(goes_on(1), "");  // which has still to begin
  LeaseObservation failed{{1}, false, true};
  failed.outcome = {LeaseEnd::kSupervisorLost, 0, 0, ""};
  Tell(ReportNode{nodes_[0], 1, {failed}, {}});
  LeaseObservation stopped{{2}, false, true};
  stopped.outcome = {LeaseEnd::kStopped, 0, 0, ""};
  Tell(ReportNode{nodes_[1], 1, {stopped}, {}});
  cluster_.Advance(Duration::Minutes(60));
  Tell(Tick{});
  cluster_.Pass();
  ASSERT_EQ(cluster_.state().FindJob({1})->attempt, 2);
  for (const size_t rank : {0, 1}) EXPECT_EQ(goes_on(rank), "/c/a");
}

TEST_F(Orders, AllNodesOfAGangHearOfIt) {
  EXPECT_THAT(Touched(placed_), ElementsAre(nodes_[0], nodes_[1]));
  EXPECT_THAT(Touched(Tell(StopJob{{1}, false})), ElementsAre(nodes_[0], nodes_[1]));
  EXPECT_EQ(DesiredStateFor(cluster_.state(), nodes_[0]).leases[0].lease.stop,
            StopOrder::kGraceful);
  EXPECT_THAT(Touched(Tell(SubmitJob{cluster_.state().FindJob({1})->spec, {}})), IsEmpty());
}

TEST_F(Orders, AnEndIsToldSoThatItIsForgotten) {
  LeaseObservation ended;
  ended.lease = {1};
  ended.ended = true;
  EXPECT_THAT(Touched(Tell(ReportNode{nodes_[0], 1, {ended}, {}})),
              ElementsAre(nodes_[0], nodes_[1]));
  EXPECT_THAT(DesiredStateFor(cluster_.state(), nodes_[0]).leases, IsEmpty());
}

TEST_F(Orders, AStopOfStrongerKindStays) {
  Tell(StopJob{{1}, true});
  Tell(StopJob{{1}, false});
  EXPECT_EQ(DesiredStateFor(cluster_.state(), nodes_[1]).leases[0].lease.stop, StopOrder::kKill);
}

TEST_F(Orders, AJoinIsAnswered) {
  const auto& facts = cluster_.state().nodes.all[2].facts;
  EXPECT_THAT(Touched(Tell(JoinNode{facts, 2, false, {}})), ElementsAre(nodes_[2]));
}

}  // namespace
}  // namespace gp
