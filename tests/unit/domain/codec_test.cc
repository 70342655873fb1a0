#include "domain/cluster/codec.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Every field away from its default, so that one left out of fields.h shows.
JobSpec FullSpec() {
  JobSpec spec;
  spec.name = "train";
  spec.project = "vision";
  spec.queue = "night";
  spec.nodes = 2;
  spec.gpus = {3, {"H100", "H200"}, 500, 1'000, 2'000, Isolation::kTimeslice};
  spec.cpus = 4;
  spec.memory_bytes = 5;
  spec.shm_bytes = 6;
  spec.topology = {TopologyLevel::kNvlink, TopologyLevel::kSameNode, false};
  spec.priority = 7;
  spec.time_limit = Duration::Seconds(8);
  spec.grace = Duration::Seconds(9);
  spec.on_lease_loss = LeaseLoss::kStop;
  spec.retry = {10, Duration::Seconds(11), Duration::Seconds(12), true};
  spec.environment = {{"A", "1"}, {"B", ""}};
  spec.labels = {{"team", "x"}};
  spec.working_directory = "/w";
  spec.command = {"/bin/sh", "-c", std::string("a\0b", 3)};
  spec.interactive = true;
  spec.checkpoint_directory = "/c";
  return spec;
}

Record RoundTrip(const Record& record) {
  const auto decoded = DecodeRecord(EncodeRecord(record));
  EXPECT_TRUE(decoded.has_value());
  return *decoded;
}

TEST(Codec, KeepsEveryFieldOfASpec) {
  const Record record{{{5},
                       "user:ana",
                       "r1",
                       SubmitJob{std::make_shared<const JobSpec>(FullSpec()), {"ana", 1, 2}}},
                      {}};
  const Record back = RoundTrip(record);
  const auto& submit = std::get<SubmitJob>(back.envelope.command);
  EXPECT_EQ(*submit.spec, FullSpec());
  EXPECT_EQ(submit.user, (User{"ana", 1, 2}));
  EXPECT_EQ(back.envelope.at, Instant{5});
  EXPECT_EQ(back.envelope.principal, "user:ana");
  EXPECT_EQ(back.envelope.request_id, "r1");
}

TEST(Codec, KeepsEveryFieldOfFacts) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0, 1, 1}, 4);
  facts.driver_version = "550.1";
  facts.gpus[1].pci_bus_id = "0000:81:00.0";
  const Record record{
      {{1}, "", "", JoinNode{std::make_shared<const NodeFacts>(facts), 9, true, {}}}, {}};
  const auto back = std::get<JoinNode>(RoundTrip(record).envelope.command);
  EXPECT_EQ(*back.facts, facts);
  EXPECT_EQ(back.incarnation, 9u);
  EXPECT_TRUE(back.fresh);
}

TEST(Codec, KeepsEveryFieldOfAReport) {
  LeaseObservation lease;
  lease.lease = {3};
  lease.running = lease.ended = true;
  lease.started_at = {4};
  lease.ended_at = {5};
  lease.outcome = {LeaseEnd::kOutOfMemory, 6, 7, "text"};
  const GpuObservation gpu{2, false, true, "sick"};
  const Record record{{{1}, "", "", ReportNode{{1}, 2, {lease}, {gpu}}}, {}};
  const auto back = std::get<ReportNode>(RoundTrip(record).envelope.command);
  EXPECT_EQ(back.leases, std::vector<LeaseObservation>{lease});
  EXPECT_EQ(back.gpus, std::vector<GpuObservation>{gpu});
}

TEST(Codec, KeepsEveryFieldOfALease) {
  Lease lease;
  lease.id = {1};
  lease.job = {2};
  lease.attempt = 3;
  lease.rank = 4;
  lease.node = {5};
  lease.mode = GpuMode::kTimeslice;
  lease.gpus = {{6, 7, 8}};
  lease.numa = {{1, CpuSet::Parse("1,70").value(), 9}};
  lease.stop_on_loss = true;
  lease.phase = LeasePhase::kStarted;
  lease.stop = StopOrder::kKill;
  const Record back = RoundTrip({{{1}, "", "", Tick{}}, {GangPlaced{10, {2}, {lease}, "note"}}});
  const auto& placed = std::get<GangPlaced>(back.events.at(0));
  EXPECT_EQ(placed.leases, std::vector<Lease>{lease});
  EXPECT_EQ(placed.pass, 10u);
  EXPECT_EQ(placed.note, "note");
}

TEST(Codec, EqualStatesGiveEqualBytesAndDigests) {
  TestCluster a;
  TestCluster b;
  EXPECT_EQ(StateDigest(a.state()), StateDigest(b.state()));
  a.AddNode(TestCluster::MakeFacts("n1", {0}));
  EXPECT_NE(StateDigest(a.state()), StateDigest(b.state()));
  b.AddNode(TestCluster::MakeFacts("n1", {0}));
  EXPECT_EQ(EncodeState(a.state()), EncodeState(b.state()));
}

TEST(Codec, RefusesOtherVersions) {
  TestCluster cluster;
  std::string snapshot = EncodeState(cluster.state());
  snapshot[0] = 4;
  EXPECT_FALSE(DecodeState(snapshot).has_value());
  std::string record = cluster.records()[0];
  record[0] = 4;
  const auto refused = DecodeRecord(record);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "a journal record of another version does not decode");
}

TEST(Codec, RefusesWhatFollows) {
  TestCluster cluster;
  EXPECT_FALSE(DecodeRecord(cluster.records()[0] + '\0').has_value());
  EXPECT_FALSE(DecodeState(EncodeState(cluster.state()) + '\0').has_value());
}

TEST(Codec, RefusesKindsThatItDoesNotKnow) {
  const Record record{{{0}, "", "", Tick{}}, {}};
  std::string bytes = EncodeRecord(record);
  const size_t kind = bytes.size() - 2;  // before the empty list of events
  ASSERT_EQ(static_cast<size_t>(bytes[kind]), std::variant_size_v<Command> - 1);
  bytes[kind] = static_cast<char>(std::variant_size_v<Command>);
  EXPECT_FALSE(DecodeRecord(bytes).has_value());
}

}  // namespace
}  // namespace gp
