#include <gtest/gtest.h>

#include <functional>

#include "domain/cluster/nodes/node_hardware.h"
#include "domain/model/nodes/features.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

NodeFacts Good() { return TestCluster::MakeFacts("n1", {0, 0, 1, 1}); }

TEST(NodeFacts, GoodOnesPass) {
  EXPECT_TRUE(ValidateNodeFacts(Good()).has_value());
  EXPECT_TRUE(ValidateNodeFacts(TestCluster::MakeFacts("cpu-only", {})).has_value());
}

struct BadFacts {
  const char* message;
  std::function<void(NodeFacts&)> spoil;
};

TEST(NodeFacts, WhatCannotBeIsNamed) {
  const BadFacts bad[] = {
      {"1 to 253 printable characters", [](NodeFacts& f) { f.name = ""; }},
      {"1 to 253 printable characters", [](NodeFacts& f) { f.name = "a\nb"; }},
      {"1 to 253 printable characters", [](NodeFacts& f) { f.name = std::string(254, 'a'); }},
      {"1 to 64 NUMA nodes", [](NodeFacts& f) { f.numa.clear(); }},
      {"1 to 64 NUMA nodes", [](NodeFacts& f) { f.numa.resize(65); }},
      {"more than 64 GPUs", [](NodeFacts& f) { f.gpus.resize(65); }},
      {"link matrix", [](NodeFacts& f) { f.links.pop_back(); }},
      {"host memory size", [](NodeFacts& f) { f.numa[1].memory_mib = -1; }},
      {"host memory size", [](NodeFacts& f) { f.numa[1].memory_mib = int64_t{1} << 60; }},
      {"a core is in two NUMA nodes", [](NodeFacts& f) { f.numa[1].cpus.Add(0); }},
      {"bad UUID", [](NodeFacts& f) { f.gpus[1].uuid = ""; }},
      {"bad UUID", [](NodeFacts& f) { f.gpus[1].uuid = std::string(97, 'a'); }},
      {"bad minor number", [](NodeFacts& f) { f.gpus[1].minor = -1; }},
      {"unknown NUMA node", [](NodeFacts& f) { f.gpus[1].numa = 2; }},
      {"unknown NUMA node", [](NodeFacts& f) { f.gpus[1].numa = -1; }},
      {"impossible memory size", [](NodeFacts& f) { f.gpus[1].memory_mib = 0; }},
      {"impossible memory size", [](NodeFacts& f) { f.gpus[1].memory_mib = int64_t{1} << 40; }},
      {"is no name of a feature", [](NodeFacts& f) { f.features = {"images", ""}; }},
      {"is no name of a feature", [](NodeFacts& f) { f.features = {"a b"}; }},
      {"is no name of a feature", [](NodeFacts& f) { f.features = {std::string(65, 'a')}; }},
      {"more than 64 features",
       [](NodeFacts& f) {
         for (int i = 0; i < 65; ++i) f.features.insert(std::to_string(i));
       }},
      {"is listed twice", [](NodeFacts& f) { f.gpus[1].uuid = f.gpus[0].uuid; }},
  };
  for (const BadFacts& one : bad) {
    NodeFacts facts = Good();
    one.spoil(facts);
    const Status status = ValidateNodeFacts(facts);
    ASSERT_FALSE(status.has_value()) << one.message;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(status.error().message.find(one.message), std::string::npos)
        << status.error().message;
  }
}

TEST(NodeFacts, FeaturesFollowTheAgent) {
  TestCluster cluster;
  NodeFacts facts = Good();
  facts.features = {"images"};
  const NodeId node = cluster.AddNode(facts);
  EXPECT_EQ(cluster.state().nodes.all[0].facts->features, facts.features);
  facts.features.clear();  // its successor is of an older release
  EXPECT_TRUE(IsOutOfDate(cluster.state(), *cluster.state().FindNode(node), facts));
  cluster.AddNode(facts, 2);
  EXPECT_TRUE(cluster.state().nodes.all[0].facts->features.empty());
}

TEST(NodeFacts, AJobWithALauncherNeedsAnAgentThatKnowsIt) {
  JobSpec spec;
  EXPECT_EQ(MissingFeature(spec, Good()), "");
  for (const Launcher launcher : {Launcher::kTorchrun, Launcher::kMpi, Launcher::kRay}) {
    spec.program.launcher = launcher;
    NodeFacts facts = Good();
    facts.features = {"images"};
    EXPECT_EQ(MissingFeature(spec, facts), "launchers");
    facts.features.insert("launchers");
    EXPECT_EQ(MissingFeature(spec, facts), "");
  }
}

// An older agent would look for a command.
TEST(NodeFacts, AJobThatOnlyStagesNeedsAnAgentThatKnowsIt) {
  JobSpec spec;
  spec.program.image = "registry.lab/a:v1";
  spec.program.stage_only = true;
  NodeFacts facts = Good();
  facts.features = {"images", "image-layers", "image-pull"};
  EXPECT_EQ(MissingFeature(spec, facts), "stage-only");
  facts.features.insert("stage-only");
  EXPECT_EQ(MissingFeature(spec, facts), "");
}

TEST(NodeFacts, AJobWithDataNeedsAnAgentThatFetchesAndCopies) {
  std::vector<JobSpec> specs(3);
  specs[0].program.stage = {{.from = "s3://a/b", .to = "/data"}};
  specs[1].program.artifacts = {{.from = "/out", .to = "s3://a/b"}};
  specs[2].recovery.checkpoint.copy_to = "s3://a/b";
  for (const JobSpec& spec : specs) {
    NodeFacts facts = Good();
    facts.features = {"launchers"};
    EXPECT_EQ(MissingFeature(spec, facts), "data");
    facts.features.insert("data");
    EXPECT_EQ(MissingFeature(spec, facts), "");
  }
}

TEST(NodeFacts, AJoinWithBadOnesIsRefused) {
  TestCluster cluster;
  NodeFacts facts = Good();
  facts.numa[1].cpus.Add(0);
  const JoinNode join{std::make_shared<const NodeFacts>(facts), 1, true, {}};
  EXPECT_FALSE(cluster.Execute(join).has_value());
  EXPECT_TRUE(cluster.state().nodes.all.empty());
}

}  // namespace
}  // namespace gp
