// A copy of all that is open is a state like any other, and decides as the one that it was taken
// from.

#include "domain/explaining/present.h"

#include <gtest/gtest.h>

#include "domain/cluster/check/invariants.h"
#include "domain/cluster/codec/codec.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

const User kAna{"ana", 1000, 1000};

JobId Submit(Engine& engine, int gpus, const std::function<void(JobSpec&)>& edit = {}) {
  JobSpec spec;
  spec.program.command = {"train"};
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = 1;
  if (edit) edit(spec);
  const JobId job = engine.Submit(std::make_shared<const JobSpec>(spec), kAna).value();
  for (const PlaceGang& placed : engine.Pass().Placements()) engine.Start(placed.job);
  return job;
}

// Somebody runs, waits, waits for another, gives way, is reserved for.
Engine BusyEngine() {
  Engine engine;
  engine.AdvanceTo(Instant{1'700'000'000'000'000'000});
  for (int i = 0; i < 2; ++i) engine.AddNode(PlainNode(i, 8));
  SetQueue queue;
  queue.name = "research";
  queue.guaranteed = 4;
  EXPECT_TRUE(engine.Execute(queue).has_value());
  const JobId first =
      Submit(engine, 8, [](JobSpec& spec) { spec.policy.time_limit = Duration::Minutes(60); });
  Submit(engine, 8, [](JobSpec& spec) { spec.policy.preemptible = true; });
  Submit(engine, 4);
  Submit(engine, 1, [&](JobSpec& spec) { spec.policy.after = {{first, AfterKind::kOk}}; });
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  reserve.reservation.nodes = {NodeId{0}};
  reserve.reservation.starts_at = engine.now() + Duration::Minutes(600);
  reserve.reservation.ends_at = engine.now() + Duration::Minutes(700);
  EXPECT_TRUE(engine.Execute(reserve).has_value());
  return engine;
}

TEST(Present, WithNothingFinishedItIsTheState) {
  const Engine engine = BusyEngine();
  const Present present = TakePresent(engine.state());
  EXPECT_EQ(EncodeState(present.state), EncodeState(engine.state()));
  EXPECT_TRUE(CheckInvariants(present.state).empty());
  EXPECT_TRUE(present.past.empty());
}

TEST(Present, FinishedElementsAreCounts) {
  Engine engine = BusyEngine();
  const JobId array = Submit(engine, 0, [](JobSpec& spec) {
    spec.policy.array = {3, 0};
    // Or no node would be open to it: both are kept or reserved
    spec.policy.time_limit = Duration::Minutes(5);
  });
  engine.AdvanceTo(engine.now() + Duration::Minutes(1));
  engine.Finish(ElementId(array, 0));
  const Present present = TakePresent(engine.state());
  EXPECT_EQ(present.state.FindJob(ElementId(array, 0)), nullptr);
  EXPECT_EQ(present.state.jobs.arrays.at(array),
            (Array{.count = 3, .known = 2, .started = 3, .ended = 1, .completed = 1}));
  const auto broken = CheckInvariants(present.state);
  EXPECT_TRUE(broken.empty()) << broken.front().detail;
  for (const int index : {1, 2}) engine.Finish(ElementId(array, index));
  EXPECT_FALSE(TakePresent(engine.state()).state.jobs.arrays.contains(array));
}

TEST(Present, FinishedJobsAreLengthsOnly) {
  Engine engine = BusyEngine();
  const JobId first{1};
  engine.AdvanceTo(engine.now() + Duration::Minutes(20));
  engine.Finish(first);
  ASSERT_TRUE(engine.Execute(Tick{}).has_value());  // nobody waits for it any more
  const Present present = TakePresent(engine.state());
  EXPECT_EQ(present.state.FindJob(first), nullptr);
  ASSERT_EQ(present.past.size(), 1u);
  EXPECT_EQ(present.past[0].length, Duration::Minutes(20));
  EXPECT_EQ(present.past[0].user, "ana");
  const auto broken = CheckInvariants(present.state);
  EXPECT_TRUE(broken.empty()) << broken.front().detail;
  EXPECT_EQ(Schedule(present.state, engine.now()), Schedule(engine.state(), engine.now()));
}

TEST(Present, PartsAreWhatIsCopied) {
  Engine engine = BusyEngine();
  EXPECT_EQ(PartsOf(engine.state()), 2u + 2u + 4u);
  engine.Finish({1});
  EXPECT_EQ(PartsOf(engine.state()), 2u + 1u + 3u);
}

TEST(Present, WhoIsWaitedForStays) {
  Engine engine = BusyEngine();
  engine.AdvanceTo(engine.now() + Duration::Minutes(20));
  engine.Finish({1});
  const Present present = TakePresent(engine.state());
  EXPECT_NE(present.state.FindJob({1}), nullptr) << "the tick that looks at it is yet to come";
  EXPECT_TRUE(CheckInvariants(present.state).empty());
}

TEST(Present, WorkOfAllAttemptsCountsWhereItIsKept) {
  for (const bool preemptible : {false, true}) {
    Job job;
    JobSpec spec;
    spec.policy.preemptible = preemptible;
    job.spec = std::make_shared<const JobSpec>(spec);
    job.attempts.resize(2);
    job.attempts[0].number = 1;
    job.attempts[0].placed_at = Instant{} + Duration::Minutes(1);
    job.attempts[0].ended_at = Instant{} + Duration::Minutes(11);
    job.attempts[1].number = 2;
    job.attempts[1].placed_at = Instant{} + Duration::Minutes(20);
    job.state = JobState::kRunning;
    EXPECT_EQ(WorkOf(job, Instant{} + Duration::Minutes(25)),
              Duration::Minutes(preemptible ? 15 : 5));
    job.attempts.pop_back();
    job.state = JobState::kQueued;
    EXPECT_EQ(WorkOf(job, Instant{} + Duration::Minutes(25)),
              Duration::Minutes(preemptible ? 10 : 0))
        << "others begin from zero";
  }
}

}  // namespace
}  // namespace gp
