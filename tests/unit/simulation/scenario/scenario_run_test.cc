#include "simulation/scenario/scenario_run.h"

#include <gtest/gtest.h>

#include "simulation/engine/named_node.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

std::shared_ptr<JobSpec> Spec(const std::string& name, int gpus) {
  auto spec = std::make_shared<JobSpec>();
  spec->name = name;
  spec->program.command = {"true"};
  spec->resources.gpus.count = gpus;
  return spec;
}

Scenario OneNode() {
  Scenario scenario;
  scenario.nodes.push_back({"node", std::make_shared<const NodeFacts>(PlainNode(0, 8)), 1, {}, {}});
  return scenario;
}

JobGroup Jobs(const std::string& name, int gpus, Duration length) {
  JobGroup group;
  group.spec = Spec(name, gpus);
  group.user = {"ana", 1000, 1000};
  group.length = {Draw::Kind::kFixed, length, {}};
  return group;
}

PlayedRun Play(const Scenario& scenario) {
  const auto run = MakeRun(scenario);
  EXPECT_TRUE(run) << run.error().front().error.message;
  return RunPlayer(run->steps, run->options).Play();
}

int64_t SecondsIn(std::optional<Instant> at) { return (*at - kScenarioBegin).ToSeconds(); }

TEST(ScenarioRun, JobsComeOneAfterTheOther) {
  Scenario scenario = OneNode();
  JobGroup jobs = Jobs("train", 8, Duration::Seconds(100));
  jobs.at = Duration::Seconds(30);
  jobs.every = Draw{Draw::Kind::kFixed, Duration::Seconds(60), {}};
  jobs.count = 3;
  scenario.jobs.push_back(jobs);
  const PlayedRun played = Play(scenario);
  ASSERT_EQ(played.lives.size(), 3u);
  EXPECT_EQ(SecondsIn(played.lives[1].submitted_at), 90);
  EXPECT_EQ(SecondsIn(played.lives[1].started_at), 130);
  EXPECT_EQ(SecondsIn(played.lives[2].ended_at), 330);
}

TEST(ScenarioRun, JobsWithoutACountComeToTheEnd) {
  Scenario scenario = OneNode();
  JobGroup jobs = Jobs("train", 1, Duration::Seconds(10));
  jobs.every = Draw{Draw::Kind::kFixed, Duration::Seconds(60), {}};
  scenario.jobs.push_back(jobs);
  scenario.until = Duration::Seconds(300);
  const PlayedRun played = Play(scenario);
  EXPECT_EQ(played.lives.size(), 6u);
  EXPECT_EQ(SecondsIn(played.ends_at), 300);
}

TEST(ScenarioRun, WhatOneGroupDrawsDoesNotDependOnTheOthers) {
  JobGroup drawn = Jobs("drawn", 1, {});
  drawn.length = {Draw::Kind::kMedian, Duration::Minutes(5), Duration::Minutes(50)};
  Scenario alone = OneNode();
  alone.jobs = {drawn};
  Scenario together = OneNode();
  together.jobs = {drawn, drawn};
  const PlayedRun played = Play(together);
  EXPECT_EQ(played.lives[0].ended_at, Play(alone).lives[0].ended_at);
  EXPECT_NE(played.lives[0].ended_at, played.lives[1].ended_at);
  together.seed = 2;
  EXPECT_NE(Play(together).lives[0].ended_at, played.lives[0].ended_at);
}

TEST(ScenarioRun, EventsNameNodesAndJobs) {
  Scenario scenario = OneNode();
  JobGroup jobs = Jobs("train", 8, Duration::Seconds(1000));
  jobs.count = 2;
  jobs.every = Draw{Draw::Kind::kFixed, Duration::Seconds(1), {}};
  scenario.jobs.push_back(jobs);
  scenario.events.push_back({Duration::Seconds(50), JobEvent{JobDeed::kCancel, "train-2", 0}});
  scenario.events.push_back(
      {Duration::Seconds(100), NodeEvent{NodeDeed::kOffline, "node-1", true}});
  scenario.events.push_back(
      {Duration::Seconds(200), NodeEvent{NodeDeed::kOnline, "node-1", false}});
  const PlayedRun played = Play(scenario);
  EXPECT_EQ(SecondsIn(played.lives[1].ended_at), 50);
  EXPECT_FALSE(played.lives[1].started_at);
  EXPECT_EQ(SecondsIn(played.lives[0].ended_at), 1200) << "its work is lost with the stop";
  scenario.events.push_back({{}, NodeEvent{NodeDeed::kDrain, "node-2", false}});
  const auto refused = MakeRun(scenario);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().front().part, ScenarioFault::Part::kEvents);
  EXPECT_EQ(refused.error().front().index, 3u);
}

TEST(ScenarioRun, ATraceIsPlayedAtItsTimesOrAtALoad) {
  Scenario scenario = OneNode();
  TraceGroup trace;
  trace.workload.jobs = {{100, 50, 4}, {200, 50, 8}, {300, 50, 16}};
  trace.spec = Spec("trace", 1);
  trace.user = {"ana", 1000, 1000};
  scenario.traces.push_back(trace);
  EXPECT_EQ(SecondsIn(Play(scenario).lives[1].submitted_at), 100);
  // 1,400 GPU-seconds of 8 GPUs: at half the load, in 350 s.
  scenario.traces[0].load_percent = 50;
  const PlayedRun played = Play(scenario);
  EXPECT_EQ(SecondsIn(played.lives[1].submitted_at), 175);
  EXPECT_EQ(SecondsIn(played.lives[2].submitted_at), 350);
  EXPECT_FALSE(played.lives[2].started_at) << "a gang of two nodes where there is one";
}

TEST(ScenarioRun, WhatTheClusterWouldRefuseIsAFault) {
  Scenario scenario = OneNode();
  SetQueue queue;
  queue.name = "team";
  queue.guaranteed = 9;
  scenario.queues.push_back(queue);
  scenario.jobs.push_back(Jobs("train", 1, Duration::Seconds(10)));
  auto run = MakeRun(scenario);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().front().part, ScenarioFault::Part::kQueues);
  scenario.queues[0].guaranteed = 8;
  auto spec = Spec("train", 1);
  spec->policy.queue = "other";
  scenario.jobs[0].spec = spec;
  run = MakeRun(scenario);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().front().part, ScenarioFault::Part::kJobs);
  SetQueue later;
  later.name = "other";
  scenario.events.push_back({Duration::Seconds(5), later});
  scenario.jobs[0].at = Duration::Seconds(10);
  EXPECT_TRUE(MakeRun(scenario)) << "an event makes it";
}

TEST(ScenarioRun, ARecordedRunKeepsItsNumbers) {
  Scenario scenario = OneNode();
  JournalGroup journal;
  const auto facts = NamedNode(PlainNode(7, 8), "recorded-1");
  journal.run.steps = {
      {kScenarioBegin, StartController{}},
      {kScenarioBegin, NodeArrival{NodeId{0}, facts}},
      {kScenarioBegin,
       JobArrival{JobId{1}, Spec("recorded", 8), {"ana", 1000, 1000}, Duration::Seconds(100), {}}},
      {kScenarioBegin + Duration::Seconds(50), StopJob{JobId{1}}}};
  scenario.journal = journal;
  scenario.jobs.push_back(Jobs("added", 8, Duration::Seconds(200)));
  PlayedRun played = Play(scenario);
  EXPECT_EQ(SecondsIn(played.lives[0].ended_at), 50) << "it is the recorded one that was cancelled";
  EXPECT_EQ(SecondsIn(played.lives[1].ended_at), 200);
  scenario.events.push_back(
      {Duration::Seconds(10), NodeEvent{NodeDeed::kLose, "recorded-1", false}});
  scenario.events.push_back({Duration::Seconds(10), JobEvent{JobDeed::kHold, "job-1", 0}});
  EXPECT_TRUE(MakeRun(scenario)) << "events know what was recorded";
  scenario.nodes[0].name = "recorded";
  scenario.events = {{Duration::Seconds(10), NodeEvent{NodeDeed::kDrain, "recorded-2", false}}};
  EXPECT_TRUE(MakeRun(scenario)) << "its own are numbered on";
  scenario.events.clear();
  scenario.journal->nodes = false;
  played = Play(scenario);
  EXPECT_EQ(SecondsIn(played.lives[1].started_at), 50) << "one node less";
}

}  // namespace
}  // namespace gp
