// When an attempt has started, by what its node says of it.

#include <gtest/gtest.h>

#include "domain/model/jobs/ports.h"
#include "domain/model/nodes/features.h"
#include "domain/node/desired_state.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

class StartOfAnAttempt : public testing::Test {
 protected:
  StartOfAnAttempt() {
    node_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0}));
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 1;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    cluster_.Pass();
    placed_at_ = cluster_.now();
    // It started, and its node could not say so for an hour.
    cluster_.Advance(kHour);
  }

  // The instant at which its node says by this that it started.
  Instant Told(Instant started_at, Duration ran) {
    LeaseObservation seen;
    seen.lease = cluster_.state().jobs.all.begin()->second.leases.front();
    seen.running = true;
    seen.started_at = started_at;
    seen.ran = ran;
    const auto events = cluster_.Execute(ReportNode{node_, 1, {seen}, {}});
    EXPECT_TRUE(events);
    const auto* started = events ? std::get_if<LeaseStarted>(&events->front()) : nullptr;
    EXPECT_NE(started, nullptr);
    return started == nullptr ? Instant{} : started->started_at;
  }

  TestCluster cluster_;
  NodeId node_;
  Instant placed_at_;
};

TEST_F(StartOfAnAttempt, IsKnownByTheNodesBootClockWhateverItsWallClockSays) {
  EXPECT_EQ(Told(cluster_.now() + kHour * 10'000, Duration::Minutes(59)),
            placed_at_ + Duration::Minutes(1));
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsAsItSays) {
  EXPECT_EQ(Told(placed_at_ + Duration::Minutes(5), {}), placed_at_ + Duration::Minutes(5));
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsNotBeforeThePlacement) {
  EXPECT_EQ(Told(placed_at_ - kHour, {}), placed_at_);
}

TEST_F(StartOfAnAttempt, ByTheWallClockAloneIsNotInTheFuture) {
  EXPECT_EQ(Told(cluster_.now() + kHour, {}), cluster_.now());
}

// What rank 0 finds is the image of the whole job.
class ImageOfAJob : public testing::Test {
 protected:
  ImageOfAJob() {
    for (const char* name : {"n1", "n2", "n3"}) {
      NodeFacts facts = TestCluster::MakeFacts(name, {0});
      facts.features.insert(kPortLeasesFeature);
      nodes_.push_back(cluster_.AddNode(facts));
    }
  }
  void Submit(const std::string& image) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.program.image = image;
    spec.resources.gpus.count = 1;
    spec.resources.nodes = 2;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    cluster_.Pass();
  }
  const Job& job() const { return cluster_.state().jobs.all.begin()->second; }
  // What follows from the report of this rank's node.
  std::vector<Event> Report(int rank, LeaseObservation seen) {
    seen.lease = job().leases[static_cast<size_t>(rank)];
    const NodeId node = cluster_.state().FindLease(seen.lease)->node;
    return cluster_.Execute(ReportNode{node, 1, {seen}, {}}).value();
  }
  static LeaseObservation Resolved(char digit) {
    LeaseObservation seen;
    seen.image_digest = Digest(digit);
    return seen;
  }
  static std::string Digest(char digit) { return "sha256:" + std::string(64, digit); }
  std::string Ordered(size_t node) const {
    return DesiredStateFor(cluster_.state(), nodes_[node]).leases.at(0).image_digest;
  }

  TestCluster cluster_;
  std::vector<NodeId> nodes_;
};

TEST_F(ImageOfAJob, IsWhatRankZeroResolvedAndEveryRankIsOrderedIt) {
  Submit("oci:/data/img:v1");
  EXPECT_EQ(Ordered(0), "");
  const std::vector<Event> events = Report(0, Resolved('a'));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<ImageResolved>(events[0]).digest, Digest('a'));
  EXPECT_EQ(NodesToUpdate(cluster_.state(), events), (std::set{nodes_[0], nodes_[1]}));
  EXPECT_EQ(Ordered(0), Digest('a'));
  EXPECT_EQ(Ordered(1), Digest('a'));
}

TEST_F(ImageOfAJob, IsFixedOnceAlsoForLaterAttempts) {
  Submit("oci:/data/img:v1");
  Report(0, Resolved('a'));
  EXPECT_TRUE(Report(0, Resolved('b')).empty());
  LeaseObservation ended;
  ended.ended = true;
  ended.outcome.end = LeaseEnd::kPlatformFault;
  Report(0, ended);
  Report(1, ended);
  cluster_.Advance(kHour);
  cluster_.Pass();
  ASSERT_EQ(job().attempt, 2);
  EXPECT_TRUE(Report(0, Resolved('b')).empty());
  EXPECT_EQ(job().image_digest, Digest('a'));
}

TEST_F(ImageOfAJob, IsNotWhatAnotherRankOrAnEndedOneNames) {
  Submit("oci:/data/img:v1");
  EXPECT_TRUE(Report(1, Resolved('b')).empty());
  LeaseObservation ended = Resolved('b');
  ended.ended = true;
  ended.outcome.end = LeaseEnd::kPlatformFault;
  for (const Event& event : Report(0, ended))
    EXPECT_FALSE(std::holds_alternative<ImageResolved>(event));
  EXPECT_EQ(job().image_digest, "");
}

// The ports at which the ranks of an attempt meet.
class PortsOfAGang : public ImageOfAJob {
 protected:
  static constexpr int kFirst = kPortFirst + 3 * kPortsInBlock;

  static LeaseObservation Leased(int first_port) {
    LeaseObservation seen;
    seen.first_port = first_port;
    return seen;
  }
  DesiredLease OrderOf(size_t node) const {
    return DesiredStateFor(cluster_.state(), nodes_[node]).leases.at(0);
  }
};

TEST_F(PortsOfAGang, AreThoseThatRankZeroLeasesAndEveryRankWaitsForThem) {
  Submit("");
  EXPECT_TRUE(OrderOf(0).awaits_ports);
  EXPECT_TRUE(OrderOf(1).awaits_ports);
  const std::vector<Event> events = Report(0, Leased(kFirst));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<PortsLeased>(events[0]).first_port, kFirst);
  EXPECT_EQ(NodesToUpdate(cluster_.state(), events), (std::set{nodes_[0], nodes_[1]}));
  for (const size_t node : {0, 1}) {
    EXPECT_FALSE(OrderOf(node).awaits_ports);
    EXPECT_EQ(OrderOf(node).first_port, kFirst);
  }
}

TEST_F(PortsOfAGang, AreFixedOnceForEachAttempt) {
  Submit("");
  Report(0, Leased(kFirst));
  EXPECT_TRUE(Report(0, Leased(kFirst + kPortsInBlock)).empty());
  LeaseObservation ended;
  ended.ended = true;
  ended.outcome.end = LeaseEnd::kPlatformFault;
  Report(0, ended);
  Report(1, ended);
  cluster_.Advance(kHour);
  cluster_.Pass();
  ASSERT_EQ(job().attempt, 2);
  EXPECT_EQ(job().attempts.back().first_port, 0);
  EXPECT_EQ(Report(0, Leased(kFirst + kPortsInBlock)).size(), 1u);
  EXPECT_EQ(job().attempts.back().first_port, kFirst + kPortsInBlock);
}

TEST_F(PortsOfAGang, AreNotWhatAnotherRankOrAnEndedOneReportsNorBetweenBlocks) {
  Submit("");
  EXPECT_TRUE(Report(1, Leased(kFirst)).empty());
  EXPECT_TRUE(Report(0, Leased(kFirst + 1)).empty());
  LeaseObservation ended = Leased(kFirst);
  ended.ended = true;
  ended.outcome.end = LeaseEnd::kPlatformFault;
  for (const Event& event : Report(0, ended))
    EXPECT_FALSE(std::holds_alternative<PortsLeased>(event));
}

// It would start at once, with the port that it computes.
TEST_F(PortsOfAGang, AreNotAwaitedWithAnAgentThatLeasesNone) {
  NodeFacts older = *cluster_.state().FindNode(nodes_[1])->facts;
  older.features.erase(kPortLeasesFeature);
  cluster_.AddNode(older, 2);
  Submit("");
  const bool is_placed_there = job().attempts.back().ranks[0].node == nodes_[1] ||
                               job().attempts.back().ranks[1].node == nodes_[1];
  ASSERT_TRUE(is_placed_there);
  EXPECT_FALSE(OrderOf(0).awaits_ports);
  EXPECT_FALSE(OrderOf(1).awaits_ports);
}

// Its ranks would wait for what rank 0, which runs already, does not offer.
TEST_F(PortsOfAGang, AreNotAwaitedWhenAnAgentIsUpgradedAfterThePlacement) {
  const NodeFacts newer = *cluster_.state().FindNode(nodes_[1])->facts;
  NodeFacts older = newer;
  older.features.erase(kPortLeasesFeature);
  cluster_.AddNode(older, 2);
  Submit("");
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(newer);
  join.incarnation = 3;
  ASSERT_TRUE(cluster_.Execute(join).has_value());
  EXPECT_TRUE(cluster_.state().FindNode(nodes_[1])->facts->features.contains(kPortLeasesFeature));
  EXPECT_FALSE(OrderOf(1).awaits_ports);
  EXPECT_TRUE(Report(0, Leased(kFirst)).empty());
}

TEST_F(PortsOfAGang, AreNotAwaitedByARankAlone) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 1;
  ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
  cluster_.Pass();
  EXPECT_FALSE(OrderOf(0).awaits_ports);
}

TEST_F(ImageOfAJob, OfADirectoryHasNoDigest) {
  Submit("dir:/data/img");
  EXPECT_TRUE(Report(0, Resolved('a')).empty());
}

TEST_F(ImageOfAJob, IsNamedByAWholeDigest) {
  Submit("oci:/data/img:v1");
  LeaseObservation odd;
  odd.image_digest = "sha256:abc";
  EXPECT_TRUE(Report(0, odd).empty());
}

}  // namespace
}  // namespace gp
