#include "domain/cluster/codec/codec.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Every field away from its default, so that one left out of GP_FIELDS shows.
JobSpec FullSpec() {
  JobSpec spec;
  spec.name = "train";
  spec.project = "vision";
  spec.policy.queue = "night";
  spec.resources.nodes = 2;
  spec.resources.gpus = {3, {"H100", "H200"}, 500, 1'000, 2'000, Isolation::kTimeslice};
  spec.resources.cpus = 4;
  spec.resources.memory_bytes = 5;
  spec.resources.shm_bytes = 6;
  spec.placement.topology = {TopologyLevel::kNvlink, TopologyLevel::kSameNode, false};
  spec.policy.priority = 7;
  spec.policy.time_limit = Duration::Seconds(8);
  spec.policy.grace = Duration::Seconds(9);
  spec.recovery.on_lease_loss = LeaseLoss::kStop;
  spec.recovery.retry = {10, Duration::Seconds(11), Duration::Seconds(12), true};
  spec.program.environment = {{"A", "1"}, {"B", ""}};
  spec.labels = {{"team", "x"}};
  spec.program.working_directory = "/w";
  spec.program.image = "dir:/i";
  spec.program.mounts = {{"/a", "/b", true}, {"/c", "/c", false}};
  spec.program.network = NetworkAccess::kNone;
  spec.program.graphics = true;
  spec.program.command = {"/bin/sh", "-c", std::string("a\0b", 3)};
  spec.program.interactive = true;
  spec.recovery.checkpoint.directory = "/c";
  spec.recovery.checkpoint.keep = 2;
  spec.recovery.checkpoint.best = BestScore::kMin;
  spec.recovery.checkpoint.copy_to = "s3://c/d";
  spec.recovery.checkpoint.credentials = "S3";
  spec.program.stage = {{"s3://a/b", "/data", {"*.bin", "x"}, "S3", std::string(64, 'a')}};
  spec.program.artifacts = {{"/out", "gs://o/p", "GS"}, {"/out2", "file:///f", ""}};
  spec.program.stage_only = true;
  spec.policy.array = {13, 14};
  spec.policy.wait_for_nodes = true;
  spec.file = "/w/job.yaml";
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
  EXPECT_EQ(back.envelope.origin.principal, "user:ana");
  EXPECT_EQ(back.envelope.request.id, "r1");
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

// The fold keeps more than events say; here it is compared field by field, as equal bytes would not
// show a field that is left out both ways.
TEST(Codec, KeepsEveryFieldOfANode) {
  State state;
  Node node;
  node.facts = std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0}));
  node.incarnation = 2;
  node.condition = NodeCondition::kLost;
  node.lost_at = {3};
  node.leases_expired = true;
  node.draining = true;
  node.reason = "why";
  node.gpus = {
      {GpuCondition::kSuspect, true, "sick", {4}, GpuMode::kTimeslice, "ana", 5, 6, 0b11, {{7}}}};
  node.numa = {{CpuSet::Parse("1,2").value(), 8}};
  node.leases = {{7}};
  state.nodes.all.push_back(node);
  const auto decoded = DecodeState(EncodeState(state));
  ASSERT_TRUE(decoded.has_value());
  const Node& back = decoded->nodes.all.at(0);
  EXPECT_EQ(*back.facts, *node.facts);
  EXPECT_EQ(
      std::tuple(back.incarnation, back.condition, back.lost_at, back.leases_expired, back.draining,
                 back.reason, back.leases),
      std::tuple(uint64_t{2}, NodeCondition::kLost, Instant{3}, true, true, "why", node.leases));
  const Gpu& gpu = back.gpus.at(0);
  EXPECT_EQ(std::tuple(gpu.condition, gpu.draining, gpu.reason, gpu.changed_at, gpu.mode, gpu.owner,
                       gpu.share_granted, gpu.memory_granted_mib, gpu.leases),
            std::tuple(GpuCondition::kSuspect, true, "sick", Instant{4}, GpuMode::kTimeslice, "ana",
                       5, 6, node.leases));
  EXPECT_EQ(back.numa.at(0).cpus_granted, node.numa[0].cpus_granted);
  EXPECT_EQ(back.numa.at(0).memory_granted_mib, 8);
}

TEST(Codec, KeepsEveryFieldOfAJob) {
  State state;
  Job job;
  job.id = {1};
  job.spec = std::make_shared<const JobSpec>(FullSpec());
  job.user = {"ana", 2, 3};
  job.request_id = "r";
  job.state = JobState::kRetryWait;
  job.submitted_at = {4};
  job.queued_at = {5};
  job.eligible_at = {6};
  job.ended_at = {7};
  job.attempt = 8;
  job.retries_used = 9;
  job.faults = 10;
  job.stop = StopCause::kDrain;
  job.leases = {{11}};
  job.exit_code = 12;
  job.reason = "why";
  const LeaseOutcome outcome{LeaseEnd::kNodeLost, 13, 14, "gone"};
  job.attempts = {{15, {16}, {17}, {18}, "here", {{{19}, {20}, {21, 22}, outcome}}}};
  state.jobs.all[job.id] = job;
  const auto decoded = DecodeState(EncodeState(state));
  ASSERT_TRUE(decoded.has_value());
  const Job& back = decoded->jobs.all.at({1});
  EXPECT_EQ(*back.spec, *job.spec);
  EXPECT_EQ(std::tuple(back.id, back.user, back.request_id, back.state, back.submitted_at,
                       back.queued_at, back.eligible_at, back.ended_at),
            std::tuple(job.id, job.user, job.request_id, job.state, job.submitted_at, job.queued_at,
                       job.eligible_at, job.ended_at));
  EXPECT_EQ(std::tuple(back.attempt, back.retries_used, back.faults, back.stop, back.leases,
                       back.exit_code, back.reason),
            std::tuple(job.attempt, job.retries_used, job.faults, job.stop, job.leases,
                       job.exit_code, job.reason));
  const AttemptRecord& attempt = back.attempts.at(0);
  EXPECT_EQ(std::tuple(attempt.number, attempt.placed_at, attempt.started_at, attempt.ended_at,
                       attempt.placement),
            std::tuple(15, Instant{16}, Instant{17}, Instant{18}, "here"));
  const RankRecord& rank = attempt.ranks.at(0);
  EXPECT_EQ(std::tuple(rank.lease, rank.node, rank.gpus, rank.outcome),
            std::tuple(LeaseId{19}, NodeId{20}, std::vector<int>{21, 22}, outcome));
}

TEST(Codec, KeepsCountersAndPolicy) {
  State state;
  state.policy = {Duration{1}, Duration{2}, 3, Duration{4}, 5};
  state.epoch = 6;
  state.jobs.last = 7;
  state.leases.last = 8;
  state.last_pass = 9;
  const auto back = DecodeState(EncodeState(state));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(
      std::tuple(back->policy.lease_time.ns, back->policy.lease_end_time.ns,
                 back->policy.faults_max, back->policy.reserve_after.ns, back->policy.jobs_kept),
      std::tuple(1, 2, 3, 4, 5));
  EXPECT_EQ(std::tuple(back->epoch, back->jobs.last, back->leases.last, back->last_pass),
            std::tuple(6u, 7u, 8u, 9u));
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
  snapshot[0] += 2;  // zigzag: the next one
  EXPECT_FALSE(DecodeState(snapshot).has_value());
  std::string record = cluster.records()[0];
  record[0] += 2;
  const auto refused = DecodeRecord(record);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "a journal record has format 22, and this program reads formats 16 to 21: a program of "
            "another release has written it");
}

TEST(Codec, RefusesWhatFollows) {
  TestCluster cluster;
  EXPECT_FALSE(DecodeRecord(cluster.records()[0] + '\0').has_value());
  EXPECT_FALSE(DecodeState(EncodeState(cluster.state()) + '\0').has_value());
}

TEST(Codec, RefusesKindsThatItDoesNotKnow) {
  const Command tick = Tick{};
  std::string bytes = EncodeRecord({{{0}, "", "", tick}, {}});
  const size_t kind = bytes.size() - 3;  // before the digest and the empty list of events
  ASSERT_EQ(static_cast<size_t>(bytes[kind]), tick.index());
  bytes[kind] = static_cast<char>(std::variant_size_v<Command>);
  EXPECT_FALSE(DecodeRecord(bytes).has_value());
}

}  // namespace
}  // namespace gp
