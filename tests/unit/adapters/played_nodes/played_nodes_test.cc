// Nodes that are played for a real controller.

#include "adapters/outbound/played_nodes/played_nodes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/test_cluster.h"
#include "tests/support/test_controller.h"

namespace gp {
namespace {

struct Rig : TestController {
  std::unique_ptr<PlayedNodes> nodes;

  // Jobs whose first word is "long" run for an hour, others end at once.
  void Play(int count) {
    const auto run_time = [](const v1::JobSpec& spec) {
      return spec.command(0) == "long" ? Duration::Minutes(60) : Duration{};
    };
    nodes = PlayedNodes::Start({{{socket()}, kJoinToken, run_time},
                                TestCluster::MakeFacts("", {0, 0, 1, 1}),
                                "played",
                                count})
                .value();
  }
  bool Eventually(const std::function<bool(const State&)>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool does = false;
    while (!does && std::chrono::steady_clock::now() < until) {
      EXPECT_TRUE(loop->Read([&](const State& state) { does = holds(state); }));
      if (!does) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return does;
  }
  JobId Submit(const std::string& command, int node_count) {
    JobSpec spec;
    spec.name = command;
    spec.program.command = {command};
    spec.resources.nodes = node_count;
    spec.resources.gpus.count = 4;
    EXPECT_TRUE(loop->Execute("user:ana", "",
                              SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}})
                    .status);
    JobId id;
    EXPECT_TRUE(loop->Read([&](const State& state) { id = JobId{state.jobs.last}; }));
    return id;
  }
  bool EventuallyIs(JobId job, JobState wanted) {
    return Eventually([&](const State& state) { return state.FindJob(job)->state == wanted; });
  }
  bool EventuallyHas(size_t count) {
    return Eventually([&](const State& state) { return state.nodes.all.size() == count; });
  }
};

TEST(PlayedNodes, JoinAndRunAGang) {
  Rig rig;
  rig.Play(3);
  ASSERT_TRUE(rig.EventuallyHas(3));
  const JobId gang = rig.Submit("short", 3);
  EXPECT_TRUE(rig.EventuallyIs(gang, JobState::kCompleted));
}

TEST(PlayedNodes, AJobRunsForItsTimeUnlessItIsStopped) {
  Rig rig;
  rig.Play(1);
  ASSERT_TRUE(rig.EventuallyHas(1));
  const JobId job = rig.Submit("long", 1);
  ASSERT_TRUE(rig.EventuallyIs(job, JobState::kRunning));
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", StopJob{job}).status);
  EXPECT_TRUE(rig.EventuallyIs(job, JobState::kCancelled));
}

TEST(PlayedNodes, WaitForAControllerThatIsNotThere) {
  const Scratch scratch;
  PlayedController controller{{"unix:" + scratch.path() + "/control.sock"}, "", {}};
  EXPECT_TRUE(PlayedNodes::Start({controller, TestCluster::MakeFacts("", {0, 0}), "played", 2}));
}

}  // namespace
}  // namespace gp
