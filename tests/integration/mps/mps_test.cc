// Attempts that share GPUs by MPS, with real processes: supervisors, the played control daemon, its
// servers and clients.

#include <gtest/gtest.h>

#include <csignal>

#include "adapters/outbound/mps/mps_directory.h"
#include "application/agent/sharing_runner.h"
#include "infrastructure/system_clock.h"
#include "tests/support/runner_harness.h"

namespace gp {
namespace {

class Mps : public testing::Test {
 protected:
  Mps() {
    std::signal(SIGPIPE, SIG_IGN);  // as the agent does: the reader may have ended
    Open(1);
  }
  ~Mps() override {
    for (const AttemptStatus& status : sharing_->Observe()) sharing_->Stop(status.key, Duration{});
    AwaitNoDaemon();
  }

  void Open(uint64_t incarnation) {
    sharing_.reset();
    host_.Open();
    SharingOptions options;
    options.mps_control = GP_FAKE_MPS_CONTROL;
    options.incarnation = incarnation;
    const std::string base = MpsBase(host_.directory());
    options.make_directory = [base](int minor, uint32_t uid, uint32_t gid) {
      return MakeMpsDirectory(base, minor, uid, gid);
    };
    options.remove_directory = [base](int minor, uint32_t uid) {
      RemoveMpsDirectory(base, minor, uid);
    };
    options.log_directory = host_.directory() + "/logs/mps";
    sharing_ = std::make_unique<SharingRunner>(std::move(options), *host_.runner, clock_);
  }

  // A client with its limits in the environment, as the agent writes it.
  void Start(const std::string& key, int percent, int64_t memory_mib,
             std::vector<std::string> words = {}, int minor = 0) {
    words.insert(words.begin(), GP_FAKE_MPS_CLIENT);
    LaunchSpec spec = host_.Program(key, std::move(words));
    spec.private_tmp = false;
    spec.parts = {{.gpu = minor,
                   .minor = minor,
                   .uuid = "GPU-" + std::to_string(minor),
                   .memory_mib = memory_mib,
                   .percent = percent,
                   .mps = true}};
    spec.environment.push_back("CUDA_MPS_PIPE_DIRECTORY=" +
                               MpsDirectory(host_.directory(), minor, spec.uid));
    spec.environment.push_back("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=" + std::to_string(percent));
    spec.environment.push_back("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=" + std::to_string(memory_mib) +
                               "M");
    const Status started = sharing_->Start(spec);
    ASSERT_TRUE(started) << started.error().message;
  }

  void Await(const std::function<bool()>& happens, const std::string& what) {
    const int64_t give_up = RunnerHarness::BootNs() + RunnerHarness::kHangMs * 1'000'000LL;
    while (true) {
      seen_.clear();
      for (const AttemptStatus& status : sharing_->Observe()) seen_[status.key] = status;
      if (happens()) return;
      ASSERT_LT(RunnerHarness::BootNs(), give_up) << "never: " << what << Messages();
      pollfd event = {.fd = sharing_->EventDescriptor(), .events = POLLIN, .revents = 0};
      poll(&event, 1, 20);
    }
  }
  std::string Messages() const {
    std::string text;
    for (const auto& [key, status] : seen_)
      text += "\n" + key + ": " + status.message + "\n" + host_.Output(key);
    return text;
  }
  void AwaitOutput(const std::string& key, const std::string& text) {
    Await([&] { return host_.Output(key).find(text) != std::string::npos; },
          key + " writes " + text);
  }
  void AwaitEnd(const std::string& key) {
    Await([&] { return seen_[key].phase == AttemptPhase::kExited; }, key + " ends");
  }
  void AwaitNoDaemon() {
    Await([&] { return Daemon() == 0; }, "the daemons quit");
  }
  // Process id of the control daemon; 0: none.
  int Daemon() {
    for (const AttemptStatus& status : host_.runner->Observe()) {
      if (IsMpsDaemon(status.key) && status.phase == AttemptPhase::kRunning) return status.pid;
    }
    return 0;
  }
  int ServerOf(const std::string& key) {
    const std::string text = host_.Output(key);
    const size_t at = text.find("server=");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 7));
  }

  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
  SystemClock clock_;
  std::unique_ptr<SharingRunner> sharing_;
  std::map<std::string, AttemptStatus> seen_;
};

TEST_F(Mps, ClientsOfOneUserShareAServerWithinTheirLimits) {
  Start("lease-1", 30, 2'000, {"2000"});
  Start("lease-2", 50, 1'000, {"1001"});
  Start("lease-4", 50, 500);
  for (const char* key : {"lease-1", "lease-4"}) AwaitOutput(key, "works");
  Start("lease-3", 10, 500, {"--unset", "2000", "1"});
  AwaitEnd("lease-2");
  AwaitEnd("lease-3");
  EXPECT_NE(host_.Output("lease-1").find(" percent=30 memory=2000"), std::string::npos);
  EXPECT_EQ(seen_["lease-2"].exit_code, 6);  // its own limit, from its environment
  EXPECT_NE(host_.Output("lease-2").find("out of memory: 1000 MiB are allowed"), std::string::npos);
  // Without it the daemon's own, which are those of the largest client that is still there.
  EXPECT_NE(host_.Output("lease-3").find(" percent=50 memory=2000"), std::string::npos)
      << host_.Output("lease-3");
  EXPECT_EQ(seen_["lease-3"].exit_code, 6);
  EXPECT_EQ(ServerOf("lease-1"), ServerOf("lease-3"));
}

TEST_F(Mps, AFatalErrorEndsAllClientsOfTheServerAndNobodyElse) {
  for (const char* key : {"lease-1", "lease-2", "lease-3"}) Start(key, 30, 1'000);
  Start("lease-9", 30, 1'000, {}, 1);
  for (const char* key : {"lease-1", "lease-2", "lease-3", "lease-9"}) AwaitOutput(key, "works");
  kill(seen_["lease-2"].pid, SIGUSR1);
  for (const char* key : {"lease-1", "lease-2", "lease-3"}) AwaitEnd(key);
  for (const char* key : {"lease-1", "lease-2", "lease-3"})
    EXPECT_EQ(seen_[key].exit_code, 4) << key;
  EXPECT_EQ(seen_["lease-9"].phase, AttemptPhase::kRunning);
  Start("lease-4", 30, 1'000);  // all have left: it is taken again
  AwaitOutput("lease-4", "works");
}

TEST_F(Mps, ADaemonThatIsKilledTakesItsClientsAndIsStartedAgain) {
  Start("lease-1", 30, 1'000);
  Start("lease-2", 30, 1'000);
  AwaitOutput("lease-1", "works");
  AwaitOutput("lease-2", "works");
  const int daemon = Daemon();
  kill(daemon, SIGKILL);
  for (const char* key : {"lease-1", "lease-2"}) {
    AwaitEnd(key);
    EXPECT_EQ(seen_[key].cause, EndCause::kPlatformFault) << key;
  }
  Start("lease-3", 30, 1'000);
  AwaitOutput("lease-3", "works");
  EXPECT_NE(Daemon(), daemon);
}

TEST_F(Mps, AServerThatIsKilledIsNoFailureOfItsClients) {
  Start("lease-1", 30, 1'000);
  AwaitOutput("lease-1", "works");
  kill(ServerOf("lease-1"), SIGKILL);
  AwaitEnd("lease-1");
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kPlatformFault);
  EXPECT_EQ(seen_["lease-1"].message, "its MPS daemon failed: its server died");
}

TEST_F(Mps, AClientThatFailsByItselfHasFailedByItself) {
  Start("lease-1", 30, 1'000);
  AwaitOutput("lease-1", "works");
  kill(seen_["lease-1"].pid, SIGTERM);
  AwaitEnd("lease-1");
  EXPECT_EQ(seen_["lease-1"].cause, EndCause::kExit);
  EXPECT_EQ(seen_["lease-1"].signal, SIGTERM);
}

TEST_F(Mps, ALaterAgentFindsDaemonAndClientsAsTheyWere) {
  Start("lease-1", 30, 1'000);
  AwaitOutput("lease-1", "works");
  const int daemon = Daemon();
  Open(2);
  Start("lease-2", 40, 2'000, {"2000"});
  AwaitOutput("lease-2", "works");
  EXPECT_EQ(Daemon(), daemon);
  EXPECT_EQ(ServerOf("lease-1"), ServerOf("lease-2"));
  EXPECT_EQ(seen_["lease-1"].phase, AttemptPhase::kRunning);
}

TEST_F(Mps, AfterTheLastClientNothingIsLeft) {
  Start("lease-1", 30, 1'000);
  AwaitOutput("lease-1", "works");
  const std::string directory = MpsDirectory(host_.directory(), 0, geteuid());
  struct stat facts = {};
  ASSERT_EQ(stat(directory.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
  const int server = ServerOf("lease-1");
  sharing_->Stop("lease-1", Duration{});
  AwaitNoDaemon();
  Await([&] { return stat(directory.c_str(), &facts) != 0; }, "the directory is removed");
  EXPECT_NE(kill(server, 0), 0);
}

}  // namespace
}  // namespace gp
