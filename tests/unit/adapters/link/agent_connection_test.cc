// Connections of agents to a real server, over its Unix socket.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include "adapters/wire/node_link.h"
#include "tests/support/link_client.h"
#include "tests/support/test_cluster.h"
#include "tests/support/test_controller.h"

namespace gp {
namespace {

using With = TestController::With;

struct Controller : TestController {
  explicit Controller(bool starts = true) : TestController(With::kLocalSocket, starts) {}
  // Waits for it for up to ten seconds.
  bool IsDisconnected(NodeId node) {
    for (int i = 0; i < 2'000; ++i) {
      if (!nodes.OpenChannel(node, 1)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
};

v1::AgentMessage JoinOf(const std::string& name, uint64_t incarnation) {
  v1::AgentMessage message;
  message.set_number(1);
  v1::Join* join = message.mutable_join();
  NodeFacts facts = TestCluster::MakeFacts(name, {0, 0});
  facts.machine = "machine of " + name;
  ToProto(facts, join->mutable_facts());
  join->set_incarnation(incarnation);
  join->set_fresh(true);
  return message;
}

v1::AgentMessage ReportOf(uint64_t number) {
  v1::AgentMessage message;
  message.set_number(number);
  for (int gpu = 0; gpu < 2; ++gpu) {
    v1::GpuObservation* seen = message.mutable_report()->add_gpus();
    seen->set_gpu(gpu);
    seen->set_healthy(true);
  }
  return message;
}

// An agent's end of a connection.
struct Agent : LinkClient {
  explicit Agent(const Controller& controller, const std::string& token = Controller::kJoinToken)
      : LinkClient(controller.socket(), token) {}
  // Reads until that message is acknowledged; false: the connection ends before.
  bool IsAnswered(uint64_t number) {
    v1::ControllerMessage message;
    while (Read(&message)) {
      if (message.answers() >= number) return true;
    }
    return false;
  }
  // The answer to a heartbeat, which other news may precede.
  std::optional<v1::ControllerMessage> Beat(const v1::AgentMessage& heartbeat) {
    if (!Write(heartbeat)) return std::nullopt;
    v1::ControllerMessage message;
    while (Read(&message)) {
      if (message.heartbeat() == heartbeat.number()) return message;
    }
    return std::nullopt;
  }
  bool Joins(const std::string& name, uint64_t incarnation) {
    return Write(JoinOf(name, incarnation)) && IsAnswered(1);
  }
};

int ThreadsOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return -1;
}

TEST(AgentConnection, AnswersTheJoinAndEveryReport) {
  Controller controller;
  Agent agent(controller);
  ASSERT_TRUE(agent.Joins("n1", 1));
  for (uint64_t number = 2; number < 20; ++number) {
    ASSERT_TRUE(agent.Write(ReportOf(number)));
    ASSERT_TRUE(agent.IsAnswered(number));
  }
  agent.Close();
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0}));
  ASSERT_TRUE(controller.loop->Read([](const State& state) {
    EXPECT_EQ(state.nodes.all[0].gpus[0].condition, GpuCondition::kAvailable);
  }));
}

TEST(AgentConnection, ImagesStayUntilAReportHasOthers) {
  Controller controller;
  Agent agent(controller);
  ASSERT_TRUE(agent.Joins("n1", 1));
  const auto held = [&](uint64_t number, std::optional<int> count) {
    v1::AgentMessage report = ReportOf(number);
    if (count) report.mutable_report()->mutable_images();
    for (int i = 0; i < count.value_or(0); ++i) {
      v1::HeldImage* image = report.mutable_report()->mutable_images()->add_images();
      image->set_name("reg.lab/" + std::to_string(i) + ":v1\x1b");
      image->set_digest(std::string(90, 'd'));
      image->set_bytes(i);
      image->add_leases(77);
    }
    EXPECT_TRUE(agent.Write(report));
    EXPECT_TRUE(agent.IsAnswered(number));
    v1::ListImagesReply reply;
    EXPECT_TRUE(controller.api.control.ListImages({}, {}, &reply));
    return reply;
  };
  EXPECT_EQ(held(2, std::nullopt).images_size(), 0);
  const v1::ListImagesReply two = held(3, 2);
  ASSERT_EQ(two.images_size(), 2);
  EXPECT_EQ(two.images(1).node(), "n1");
  EXPECT_EQ(two.images(1).name(), "reg.lab/1:v1\\x1b");
  EXPECT_EQ(two.images(1).digest(), std::string(80, 'd') + "…");
  EXPECT_EQ(two.images(1).bytes(), 1);
  EXPECT_EQ(two.images(1).jobs_size(), 0) << "no lease of this node";
  EXPECT_EQ(held(4, std::nullopt).images_size(), 2);
  EXPECT_EQ(held(5, 70).images_size(), 64);
  EXPECT_EQ(held(6, 0).images_size(), 0);
  v1::ListImagesRequest elsewhere;
  elsewhere.set_node("n2");
  v1::ListImagesReply reply;
  EXPECT_FALSE(controller.api.control.ListImages({}, elsewhere, &reply));
}

TEST(AgentConnection, AnswersTheNewestOfManyReports) {
  Controller controller;
  Agent agent(controller);
  ASSERT_TRUE(agent.Joins("n1", 1));
  for (uint64_t number = 2; number <= 300; ++number) ASSERT_TRUE(agent.Write(ReportOf(number)));
  EXPECT_TRUE(agent.IsAnswered(300));
}

TEST(AgentConnection, AnswersHeartbeatsWhileTheWriterIsBusy) {
  Controller controller;
  Agent agent(controller);
  ASSERT_TRUE(agent.Joins("n1", 1));
  std::promise<void> busy, done;
  std::thread reader([&] {
    (void)controller.loop->Read([&](const State&) {
      busy.set_value();
      done.get_future().wait();
    });
  });
  busy.get_future().wait();
  v1::AgentMessage heartbeat;
  heartbeat.mutable_heartbeat();
  for (uint64_t number = 2; number < 10; ++number) {
    heartbeat.set_number(number);
    const auto answer = agent.Beat(heartbeat);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->epoch(), 1u);
    EXPECT_EQ(answer->lease_time_ms(), 10'000);
    EXPECT_FALSE(answer->wants_report());
  }
  done.set_value();
  reader.join();
}

TEST(AgentConnection, KeepsReadingsThatAHeartbeatConfirms) {
  Controller controller;
  Agent agent(controller);
  ASSERT_TRUE(agent.Joins("n1", 1));
  v1::AgentMessage heartbeat;
  heartbeat.set_number(2);
  heartbeat.mutable_heartbeat()->add_readings()->set_uuid("GPU-1");
  ASSERT_TRUE(agent.Beat(heartbeat));
  const auto first = controller.api.readings.Of({0});
  ASSERT_TRUE(first && first->gpus.contains("GPU-1"));
  heartbeat.set_number(3);
  heartbeat.mutable_heartbeat()->clear_readings();
  ASSERT_TRUE(agent.Beat(heartbeat));
  const auto later = controller.api.readings.Of({0});
  EXPECT_TRUE(later->gpus.contains("GPU-1"));
  EXPECT_GT(later->at, first->at);
}

TEST(AgentConnection, AnswersProbesBeforeTheJoin) {
  Controller controller;
  Agent agent(controller);
  v1::AgentMessage probe;
  probe.mutable_probe();
  v1::ControllerMessage message;
  for (uint64_t number = 1; number < 3; ++number) {
    probe.set_number(number);
    ASSERT_TRUE(agent.Write(probe) && agent.Read(&message));
    EXPECT_EQ(message.probed().epoch(), 1u);
    EXPECT_EQ(message.probed().lineage(), controller.loop->Epoch().lineage);
  }
  ASSERT_TRUE(controller.loop->Read([](const State& state) {
    EXPECT_TRUE(state.nodes.all.empty()) << "a probe writes nothing";
  }));
  EXPECT_TRUE(agent.Joins("n1", 1));
}

TEST(AgentConnection, BeginsWithAJoin) {
  Controller controller;
  Agent agent(controller);
  agent.Write(ReportOf(1));
  EXPECT_EQ(agent.Rest(), "a connection begins with a probe or a join");
}

TEST(AgentConnection, RefusesAWrongToken) {
  Controller controller;
  Agent agent(controller, "another");
  EXPECT_THAT(agent.Rest(), testing::HasSubstr("wrong or missing join token"));
}

TEST(AgentConnection, EndsWithTheReasonWhyAJoinIsRefused) {
  Controller controller;
  Agent agent(controller);
  v1::AgentMessage join = JoinOf("n1", 1);
  join.mutable_join()->mutable_facts()->clear_name();
  agent.Write(join);
  EXPECT_THAT(agent.Rest(), testing::HasSubstr("name"));
}

TEST(AgentConnection, SaysWhichJournalTheNodesAttemptsAreNotOf) {
  Controller controller;
  Agent agent(controller);
  v1::AgentMessage join = JoinOf("n1", 1);
  join.mutable_join()->set_fresh(false);
  join.mutable_join()->set_lineage(12);
  agent.Write(join);
  v1::ControllerMessage message;
  ASSERT_TRUE(agent.Read(&message));
  ASSERT_TRUE(controller.loop->Read(
      [&](const State& state) { EXPECT_EQ(message.foreign_to(), state.lineage); }));
  EXPECT_THAT(agent.Rest(), testing::HasSubstr("attempts of another journal"));
}

TEST(AgentConnection, ANewerOneEndsTheOneBefore) {
  Controller controller;
  Agent old(controller);
  ASSERT_TRUE(old.Joins("n1", 1));
  Agent now(controller);
  ASSERT_TRUE(now.Joins("n1", 2));
  EXPECT_EQ(old.Rest(), "the controller closed it");
  ASSERT_TRUE(now.Write(ReportOf(2)));
  EXPECT_TRUE(now.IsAnswered(2));
}

// An agent that has stopped to read.  Its orders are a megabyte, which no socket holds.
struct DeafAgent : Agent {
  explicit DeafAgent(Controller& controller) : Agent(controller) {
    EXPECT_TRUE(Joins("n1", 1));
    EXPECT_TRUE(Write(ReportOf(2)));
    EXPECT_TRUE(IsAnswered(2));
    JobSpec spec;
    spec.program.command = {"/bin/echo"};
    spec.program.command.resize(10, std::string(100'000, 'x'));
    const SubmitJob submit{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}};
    EXPECT_TRUE(controller.loop->Execute("user:ana", "", submit).status);
    bool is_placed = false;
    while (!is_placed) {
      EXPECT_TRUE(controller.loop->Read(
          [&](const State& state) { is_placed = !state.leases.all.empty(); }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // so that they are sent
  }
};

TEST(AgentConnection, AnAgentThatReadsNothingIsReplacedAllTheSame) {
  Controller controller;
  DeafAgent deaf(controller);
  Agent now(controller);
  ASSERT_TRUE(now.Joins("n1", 2));
  EXPECT_EQ(deaf.Rest(), "closed") << "in the middle of a message";
}

TEST(AgentConnection, NewsDuringAWriteFollowsIt) {
  Controller controller;
  DeafAgent deaf(controller);
  ASSERT_TRUE(deaf.Write(ReportOf(3)));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(deaf.IsAnswered(3));
}

TEST(AgentConnection, EndsIfItsAgentGoesDuringAWrite) {
  Controller controller;
  DeafAgent deaf(controller);
  deaf.Close();
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0}));
}

TEST(AgentConnection, HoldsNoThread) {
  Controller controller;
  std::vector<std::unique_ptr<Agent>> agents;
  const auto join = [&](int count) {
    for (int i = 0; i < count; ++i) {
      agents.push_back(std::make_unique<Agent>(controller));
      ASSERT_TRUE(agents.back()->Joins("n" + std::to_string(agents.size()), 1));
    }
  };
  join(20);
  const int before = ThreadsOfThisProcess();
  join(80);
  EXPECT_LE(ThreadsOfThisProcess(), before);
}

TEST(AgentConnection, EndsWhenTheServerShutsDown) {
  Controller controller;
  std::vector<std::unique_ptr<Agent>> agents;
  for (int i = 0; i < 20; ++i) {
    agents.push_back(std::make_unique<Agent>(controller));
    ASSERT_TRUE(agents.back()->Joins("n" + std::to_string(i), 1));
  }
  controller.Shutdown();
  for (const auto& agent : agents) EXPECT_EQ(agent->Rest(), "closed");
}

// The writer begins when the agent has gone.
TEST(AgentConnection, AJoinIsAnsweredAfterItsAgentHasGone) {
  Controller controller(false);
  {
    Agent agent(controller);
    agent.Write(JoinOf("n1", 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  controller.loop->Start();
  ASSERT_TRUE(controller.loop->Read(
      [](const State& state) { EXPECT_EQ(state.nodes.all.size(), 1U) << "it is answered"; }));
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0})) << "the answered join has left no exchange";
}

// Nobody answers the join before the server is gone: its writer has not begun.
TEST(AgentConnection, AServerShutsDownWhileAJoinWaits) {
  Controller controller(false);
  Agent agent(controller);
  agent.Write(JoinOf("n1", 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  controller.Shutdown();
  EXPECT_EQ(agent.Rest(), "closed");
  controller.loop->Stop();
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0})) << "the answered join has left no exchange";
}

}  // namespace
}  // namespace gp
