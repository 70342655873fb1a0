#include <gtest/gtest.h>

#include "adapters/wire/documents/document.h"
#include "adapters/wire/error.h"
#include "adapters/wire/job_spec.h"
#include "adapters/wire/node_link.h"
#include "adapters/wire/views/array_view.h"
#include "adapters/wire/views/views.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

JobSpec FullSpec() {
  JobSpec spec;
  spec.name = "n";
  spec.project = "p";
  spec.policy.queue = "q";
  spec.policy.preemptible = true;
  spec.resources.nodes = 2;
  spec.resources.gpus = {3, {"H100", "H200"}, 500, 2000, 40'000, Isolation::kTimeslice};
  spec.resources.cpus = 7;
  spec.resources.memory_bytes = 1'000'000'007;
  spec.resources.shm_bytes = 5;
  spec.placement.topology = {TopologyLevel::kNvlink, TopologyLevel::kSameNode, false};
  spec.policy.priority = 900;
  spec.policy.time_limit = Duration::Seconds(61);
  spec.policy.grace = Duration::Seconds(5);
  spec.recovery.on_lease_loss = LeaseLoss::kStop;
  spec.recovery.retry = {2, Duration::Seconds(1), Duration::Seconds(9), true};
  spec.program.environment = {{"A", "1"}, {"B", ""}};
  spec.labels = {{"team", "x"}};
  spec.program.working_directory = "/w";
  spec.program.image = "dir:/i";
  spec.program.mounts = {{"/a", "/b", true}, {"/c", "/c", false}};
  spec.program.stage = {{"s3://a/b", "/data", {"*.bin", "x"}, "S3", std::string(64, 'a')}};
  spec.program.artifacts = {{"/out", "gs://o/p", "GS"}, {"/out2", "file:///f", ""}};
  spec.program.stage_only = true;
  spec.recovery.checkpoint.copy_to = "s3://c/d";
  spec.recovery.checkpoint.credentials = "S3";
  spec.program.network = NetworkAccess::kNone;
  spec.program.graphics = true;
  spec.program.command = {"a", "b c"};
  spec.program.interactive = true;
  spec.recovery.checkpoint.directory = "/c";
  spec.recovery.checkpoint.keep = 2;
  spec.recovery.checkpoint.best = BestScore::kMin;
  spec.policy.wait_for_nodes = true;
  spec.file = "/home/ana/bert.yaml";
  return spec;
}

TEST(Wire, AJobSpecSurvivesTheWay) {
  v1::JobSpec message;
  ToProto(FullSpec(), &message);
  EXPECT_EQ(FromProto(message).value(), FullSpec());
}

TEST(Wire, WhatIsLeftOutHasItsDefault) {
  EXPECT_EQ(FromProto(v1::JobSpec()).value(), JobSpec());
  v1::JobSpec message;
  message.set_priority(0);
  message.mutable_gpus()->set_count(0);
  EXPECT_EQ(FromProto(message)->policy.priority, 0);
  EXPECT_EQ(FromProto(message)->resources.gpus.count, 0);
  EXPECT_EQ(FromProto(message)->resources.gpus.share_thousandths, 1000);
}

TEST(Wire, AnEnumValueThatIsNoneIsRefusedWithItsField) {
  const auto refusal = [](auto spoil) {
    v1::JobSpec message;
    ToProto(FullSpec(), &message);
    spoil(message);
    const auto spec = FromProto(message);
    return spec ? std::string() : spec.error().message;
  };
  const auto bad_isolation = static_cast<v1::Isolation>(99);
  EXPECT_NE(refusal([&](auto& m) {
              m.mutable_gpus()->set_isolation(bad_isolation);
            }).find("isolation: 99"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& m) {
              m.mutable_topology()->set_require(static_cast<v1::TopologyLevel>(-1));
            }).find("require"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& m) {
              m.mutable_topology()->set_prefer(static_cast<v1::TopologyLevel>(4));
            }).find("prefer"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& m) {
              m.set_on_lease_loss(static_cast<v1::LeaseLoss>(7));
            }).find("on_lease_loss"),
            std::string::npos);
}

TEST(Wire, HugeDurationsDoNotOverflow) {
  v1::JobSpec message;
  message.set_time_limit_ms(INT64_MAX);
  EXPECT_GT(FromProto(message)->policy.time_limit.ns, 0);
  message.set_time_limit_ms(INT64_MIN);
  EXPECT_LT(FromProto(message)->policy.time_limit.ns, 0);
}

TEST(Wire, NodeFactsSurviveTheWay) {
  NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0, 1, 1});
  facts.gpus[2].mps = true;
  v1::NodeFacts message;
  ToProto(facts, &message);
  EXPECT_EQ(FromProto(message).value(), facts);
}

TEST(Wire, ImpossibleFactsAreRefused) {
  const NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0});
  const auto refused = [&](auto spoil) {
    v1::NodeFacts message;
    ToProto(facts, &message);
    spoil(message);
    return !FromProto(message).has_value();
  };
  EXPECT_TRUE(refused([](auto& m) { m.set_name(""); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_name("a\nb"); }));
  EXPECT_TRUE(refused([](auto& m) { m.clear_numa(); }));
  EXPECT_TRUE(refused([](auto& m) { m.set_links("x"); }));
  EXPECT_TRUE(refused([](auto& m) { m.mutable_gpus(0)->set_numa(5); }));
  EXPECT_TRUE(refused([](auto& m) { m.mutable_gpus(0)->set_memory_mib(-1); }));
  EXPECT_TRUE(refused([](auto& m) { m.mutable_gpus(0)->set_minor(-1); }));
  EXPECT_TRUE(refused([](auto& m) { m.mutable_gpus(1)->set_uuid(m.gpus(0).uuid()); }));
  EXPECT_TRUE(refused([](auto& m) { m.mutable_numa(0)->set_cpus("0-99999"); }));
  EXPECT_TRUE(refused([](auto& m) {
    for (int i = 0; i < 100; ++i) *m.add_gpus() = m.gpus(0);
  }));
}

TEST(Wire, ObservationsSurviveTheWayAndNonsenseIsRefused) {
  LeaseObservation seen{{7}, true, true, {5}, {6}, {LeaseEnd::kOutOfMemory, 137, 9, "why"}};
  v1::LeaseObservation message;
  ToProto(seen, &message);
  EXPECT_EQ(FromProto(message).value(), seen);
  seen.image_digest = "sha256:" + std::string(64, '7');
  ToProto(seen, &message);
  EXPECT_EQ(FromProto(message).value(), seen);
  message.set_image_digest("sha256:7");
  EXPECT_FALSE(FromProto(message));
  message.clear_image_digest();
  EXPECT_TRUE(FromProto(message));
  message.set_end(99);
  EXPECT_FALSE(FromProto(message));
}

TEST(Wire, OrdersSurviveTheWay) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 2;
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  cluster.Pass();
  const NodeDesiredState desired = DesiredStateFor(cluster.state(), {0});
  ASSERT_EQ(desired.leases.size(), 1u);
  v1::Orders message;
  ToProto(desired, &message);
  const NodeDesiredState back = FromProto(message).value();
  EXPECT_EQ(back.leases, desired.leases);
  EXPECT_EQ(*back.leases[0].spec, spec);
  EXPECT_EQ(back.leases[0].user.uid, 5u);
  EXPECT_EQ(back.epoch, desired.epoch);
}

TEST(Wire, AnArrayIsSeenAsOneOrByItsElements) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.policy.array = {5, 2};
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  cluster.Pass();
  ASSERT_TRUE(cluster.Execute(StopJob{ElementId({1}, 4)}));
  PendingReasons reasons(cluster.state(), cluster.now());
  v1::Job line;
  ArrayLine(cluster.state(), {1}, cluster.now(), reasons, &line);
  EXPECT_EQ(line.id(), "job-1");
  EXPECT_EQ(line.state(), v1::RUNNING);
  EXPECT_EQ(line.reason(), "array job-1 has a limit of 2 running elements: 2 run");
  EXPECT_EQ(line.reason_code(), "JobArrayTaskLimit");
  EXPECT_EQ(line.elements().count(), 5);
  EXPECT_EQ(line.elements().running(), 2);
  EXPECT_EQ(line.elements().waiting(), 2);
  EXPECT_EQ(line.elements().cancelled(), 1);
  EXPECT_FALSE(line.has_array_index());
  v1::Job later;
  ArrayLine(cluster.state(), {1}, cluster.now() + Duration::Minutes(60), reasons, &later);
  EXPECT_NEAR(later.use().gpu_hours(), 2, 1e-6) << "of both that run";
  EXPECT_FALSE(later.has_gpu_busy()) << "nothing was measured";
  v1::Job element;
  JobView(cluster.state(), *cluster.state().FindJob({4}), cluster.now(), &element);
  EXPECT_EQ(element.array_id(), "job-1");
  EXPECT_EQ(element.array_index(), 2);
  EXPECT_EQ(DesiredStateFor(cluster.state(), {0}).leases.at(1).array, JobId{1});
  v1::Orders message;
  ToProto(DesiredStateFor(cluster.state(), {0}), &message);
  EXPECT_EQ(FromProto(message).value().leases.at(1).array, JobId{1});
  v1::JobSpec request;
  ToProto(spec, &request);
  EXPECT_EQ(FromProto(request).value().policy.array, spec.policy.array);
  request.mutable_array()->set_count(0);
  EXPECT_FALSE(FromProto(request));
}

TEST(Wire, EveryErrorCodeHasItsRowAndComesBack) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(ErrorCodeFromGrpc(GrpcCodeFor(code)), code);
    EXPECT_EQ(ErrorCodeFromConnect(ConnectNameFor(code)), code);
    EXPECT_GE(HttpStatusFor(code), 400);
    EXPECT_NE(ExitCodeFor(code), 0);
  }
  EXPECT_EQ(ErrorCodeFromGrpc(2), ErrorCode::kInternal);  // UNKNOWN
}

TEST(Wire, AJobThatIsPlacedIsStarting) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}));
  JobSpec spec;
  spec.name = "j";
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 2;
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  cluster.Pass();
  v1::Job job;
  JobView(cluster.state(), *cluster.state().FindJob({1}), cluster.now(), &job);
  EXPECT_EQ(job.state(), v1::RUNNING);
  EXPECT_EQ(job.detail(), "STARTING");
  EXPECT_EQ(job.places(0), "n1[0-1]");
  EXPECT_FALSE(job.has_exit_code());
}

TEST(Wire, AWarningOfAPlacementStandsByItself) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1, 2, 2, 3, 3}));
  const auto warning_of = [&](int gpus) {
    JobSpec spec;
    spec.program.command = {"/bin/true"};
    spec.resources.gpus.count = gpus;
    EXPECT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
    cluster.Pass();
    const JobId id{cluster.state().jobs.last};
    v1::Job job;
    JobView(cluster.state(), *cluster.state().FindJob(id), cluster.now(), &job);
    EXPECT_TRUE(cluster.Execute(StopJob{id, true}));
    EXPECT_EQ(job.attempts_size(), 1);
    return job.attempts(0).warning();
  };
  EXPECT_EQ(warning_of(1), "");
  EXPECT_EQ(warning_of(4), "crosses NUMA nodes");
}

TEST(Wire, DocumentsKnowNumbersAndWhatIsUnknown) {
  v1::Gpu gpu;
  gpu.set_uuid("GPU-1");
  gpu.set_memory_bytes(int64_t{1} << 40);
  gpu.mutable_readings()->set_temperature_celsius(0);
  const auto document = ToDocument(gpu);
  EXPECT_EQ(document["memory_bytes"].get<int64_t>(), int64_t{1} << 40);
  EXPECT_EQ(document["readings"]["temperature_celsius"].get<int>(), 0);
  EXPECT_TRUE(document["readings"]["power_watts"].is_null());
  EXPECT_EQ(document["state"], "GPU_STATE_UNSPECIFIED");
}

TEST(Wire, YamlNestsListsAndMaps) {
  const auto document =
      nlohmann::ordered_json::parse(R"({"a":1,"b":[{"c":"x: y","d":[]},2],"e":{}})");
  EXPECT_EQ(ToYaml(document), "a: 1\nb:\n  - c: \"x: y\"\n    d: []\n  - 2\ne: {}\n");
}

}  // namespace
}  // namespace gp
