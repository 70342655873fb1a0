// The exchanges of agents with a real server, over its Unix socket.

#include <grpcpp/client_context.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include "adapters/inbound/grpc/server.h"
#include "adapters/outbound/grpc/channel.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "adapters/wire/call_deadline.h"
#include "adapters/wire/node_link.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "infrastructure/system_clock.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

namespace v1 = gpu_platform::v1;
using grpc::StatusCode;

constexpr const char* kToken = "the-join-token";

std::string NewDirectory() {
  char path[] = "/tmp/gp-node-exchange-XXXXXX";
  return mkdtemp(path);
}

struct Controller {
  const std::string directory = NewDirectory();
  SystemClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop = ControlLoop::Open(journal, clock, {}).value();
  NodeConnections nodes{*loop};
  Api api{*loop, nodes, ControlApi::About{"test", {}, nullptr}};
  std::unique_ptr<Server> server;

  explicit Controller(bool starts = true) {
    ServerOptions options;
    options.socket_directory = directory;
    options.join_token = kToken;
    server = Server::Start(api, *loop, nodes, options).value();
    loop->AddObserver(&nodes);
    for (CommitObserver* observer : api.Observers()) loop->AddObserver(observer);
    if (starts) loop->Start();
  }
  ~Controller() {
    server->Shutdown();
    loop->Stop();
    std::filesystem::remove_all(directory);
  }
  // Waits for it for up to ten seconds.
  bool IsDisconnected(NodeId node) {
    for (int i = 0; i < 2'000; ++i) {
      if (!nodes.OpenChannel(node, 1)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  std::shared_ptr<grpc::Channel> Connect() const {
    return OpenChannel("unix:" + directory + "/control.sock");
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

// An agent's end of an exchange.
struct Agent {
  std::unique_ptr<v1::NodeLink::Stub> stub;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::AgentMessage, v1::ControllerMessage>> stream;

  explicit Agent(const std::shared_ptr<grpc::Channel>& channel, const std::string& token = kToken)
      : stub(v1::NodeLink::NewStub(channel)) {
    context.set_deadline(DeadlineIn(std::chrono::seconds(20)));
    context.AddMetadata("gp-join-token", token);
    stream = stub->Exchange(&context);
  }
  // Reads until that message is acknowledged; false: the stream ends before.
  bool IsAnswered(uint64_t number) {
    v1::ControllerMessage message;
    while (stream->Read(&message)) {
      if (message.answers() >= number) return true;
    }
    return false;
  }
  // The answer to a heartbeat, which other news may precede.
  std::optional<v1::ControllerMessage> Beat(const v1::AgentMessage& heartbeat) {
    if (!stream->Write(heartbeat)) return std::nullopt;
    v1::ControllerMessage message;
    while (stream->Read(&message)) {
      if (message.heartbeat() == heartbeat.number()) return message;
    }
    return std::nullopt;
  }
  bool Joins(const std::string& name, uint64_t incarnation) {
    stream->Write(JoinOf(name, incarnation));
    return IsAnswered(1);
  }
  grpc::Status Rest() {
    v1::ControllerMessage message;
    while (stream->Read(&message)) {
    }
    return stream->Finish();
  }
};

int ThreadsOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  }
  return -1;
}

TEST(NodeExchange, AnswersTheJoinAndEveryReport) {
  Controller controller;
  Agent agent(controller.Connect());
  ASSERT_TRUE(agent.Joins("n1", 1));
  for (uint64_t number = 2; number < 20; ++number) {
    ASSERT_TRUE(agent.stream->Write(ReportOf(number)));
    ASSERT_TRUE(agent.IsAnswered(number));
  }
  agent.stream->WritesDone();
  EXPECT_TRUE(agent.Rest().ok());
  ASSERT_TRUE(controller.loop->Read([](const State& state) {
    EXPECT_EQ(state.nodes.all[0].gpus[0].condition, GpuCondition::kAvailable);
  }));
}

TEST(NodeExchange, AnswersTheNewestOfManyReports) {
  Controller controller;
  Agent agent(controller.Connect());
  ASSERT_TRUE(agent.Joins("n1", 1));
  for (uint64_t number = 2; number <= 300; ++number)
    ASSERT_TRUE(agent.stream->Write(ReportOf(number)));
  EXPECT_TRUE(agent.IsAnswered(300));
}

TEST(NodeExchange, AnswersHeartbeatsWhileTheWriterIsBusy) {
  Controller controller;
  Agent agent(controller.Connect());
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

TEST(NodeExchange, KeepsReadingsThatAHeartbeatConfirms) {
  Controller controller;
  Agent agent(controller.Connect());
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

TEST(NodeExchange, AnswersProbesBeforeTheJoin) {
  Controller controller;
  Agent agent(controller.Connect());
  v1::AgentMessage probe;
  probe.mutable_probe();
  v1::ControllerMessage message;
  for (uint64_t number = 1; number < 3; ++number) {
    probe.set_number(number);
    ASSERT_TRUE(agent.stream->Write(probe) && agent.stream->Read(&message));
    EXPECT_EQ(message.probed().epoch(), 1u);
    EXPECT_EQ(message.probed().lineage(), controller.loop->Epoch().lineage);
  }
  ASSERT_TRUE(controller.loop->Read([](const State& state) {
    EXPECT_TRUE(state.nodes.all.empty()) << "a probe writes nothing";
  }));
  EXPECT_TRUE(agent.Joins("n1", 1));
}

TEST(NodeExchange, BeginsWithAJoin) {
  Controller controller;
  Agent agent(controller.Connect());
  agent.stream->Write(ReportOf(1));
  EXPECT_EQ(agent.Rest().error_code(), StatusCode::INVALID_ARGUMENT);
  Agent silent(controller.Connect());
  silent.stream->WritesDone();
  EXPECT_EQ(silent.Rest().error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST(NodeExchange, RefusesAWrongTokenBeforeItReads) {
  Controller controller;
  Agent agent(controller.Connect(), "another");
  EXPECT_EQ(agent.Rest().error_code(), StatusCode::UNAUTHENTICATED);
}

TEST(NodeExchange, EndsWithTheReasonWhyAJoinIsRefused) {
  Controller controller;
  Agent agent(controller.Connect());
  v1::AgentMessage join = JoinOf("n1", 1);
  join.mutable_join()->mutable_facts()->clear_name();
  agent.stream->Write(join);
  EXPECT_EQ(agent.Rest().error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST(NodeExchange, SaysWhichJournalTheNodesAttemptsAreNotOf) {
  Controller controller;
  Agent agent(controller.Connect());
  v1::AgentMessage join = JoinOf("n1", 1);
  join.mutable_join()->set_fresh(false);
  join.mutable_join()->set_lineage(12);
  agent.stream->Write(join);
  v1::ControllerMessage message;
  ASSERT_TRUE(agent.stream->Read(&message));
  ASSERT_TRUE(controller.loop->Read(
      [&](const State& state) { EXPECT_EQ(message.foreign_to(), state.lineage); }));
  EXPECT_EQ(agent.Rest().error_code(), StatusCode::FAILED_PRECONDITION);
}

TEST(NodeExchange, ANewerOneEndsTheOneBefore) {
  Controller controller;
  Agent old(controller.Connect());
  ASSERT_TRUE(old.Joins("n1", 1));
  Agent now(controller.Connect());
  ASSERT_TRUE(now.Joins("n1", 2));
  EXPECT_EQ(old.Rest().error_code(), StatusCode::CANCELLED);
  ASSERT_TRUE(now.stream->Write(ReportOf(2)));
  EXPECT_TRUE(now.IsAnswered(2));
}

// While a channel is there, gRPC does not end its own threads; after a write that had to wait, one
// of them takes ten seconds to end.
void KeepGrpcAlive() {
  static const auto* const kept = new std::shared_ptr(OpenChannel("unix:/nowhere"));
  (void)kept;
}

// An agent that has stopped to read; its orders are a megabyte.  Whether a write of them waits is
// up to gRPC's buffers: what is expected below holds in both cases.
struct DeafAgent : Agent {
  explicit DeafAgent(Controller& controller) : Agent(controller.Connect()) {
    KeepGrpcAlive();
    EXPECT_TRUE(Joins("n1", 1));
    EXPECT_TRUE(stream->Write(ReportOf(2)));
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

TEST(NodeExchange, AnAgentThatReadsNothingIsReplacedAllTheSame) {
  Controller controller;
  DeafAgent deaf(controller);
  Agent now(controller.Connect());
  ASSERT_TRUE(now.Joins("n1", 2));
  EXPECT_EQ(deaf.Rest().error_code(), StatusCode::CANCELLED);
}

TEST(NodeExchange, NewsDuringAWriteFollowsIt) {
  Controller controller;
  DeafAgent deaf(controller);
  ASSERT_TRUE(deaf.stream->Write(ReportOf(3)));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(deaf.IsAnswered(3));
}

TEST(NodeExchange, EndsIfItsAgentGoesDuringAWrite) {
  Controller controller;
  DeafAgent deaf(controller);
  deaf.context.TryCancel();
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0}));
}

TEST(NodeExchange, HoldsNoThread) {
  Controller controller;
  const auto channel = controller.Connect();
  std::vector<std::unique_ptr<Agent>> agents;
  const auto join = [&](int count) {
    for (int i = 0; i < count; ++i) {
      agents.push_back(std::make_unique<Agent>(channel));
      ASSERT_TRUE(agents.back()->Joins("n" + std::to_string(agents.size()), 1));
    }
  };
  join(20);
  const int before = ThreadsOfThisProcess();
  join(80);
  EXPECT_LE(ThreadsOfThisProcess(), before + 4);
}

TEST(NodeExchange, EndsWhenTheServerShutsDown) {
  Controller controller;
  const auto channel = controller.Connect();
  std::vector<std::unique_ptr<Agent>> agents;
  for (int i = 0; i < 20; ++i) {
    agents.push_back(std::make_unique<Agent>(channel));
    ASSERT_TRUE(agents.back()->Joins("n" + std::to_string(i), 1));
  }
  controller.server->Shutdown();
  for (const auto& agent : agents) EXPECT_FALSE(agent->Rest().ok());
}

// Nobody answers the join before the server is gone: its writer has not begun.
TEST(NodeExchange, AServerShutsDownWhileAJoinWaits) {
  Controller controller(false);
  Agent agent(controller.Connect());
  agent.stream->Write(JoinOf("n1", 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  controller.server->Shutdown();
  EXPECT_FALSE(agent.Rest().ok());
  controller.loop->Stop();
  EXPECT_TRUE(controller.IsDisconnected(NodeId{0})) << "the answered join has left no exchange";
}

}  // namespace
}  // namespace gp
