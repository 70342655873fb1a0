#include "supervisor/process/fork_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "supervisor/records/packet.h"

namespace gp {
namespace {

// A fork server whose supervisors write their request to their end of the connection, and end.
class ForkServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    agent_.Reset(ends[0]);
    Descriptor theirs(ends[1]);
    server_ = fork();
    if (server_ == 0) {
      agent_.Reset();
      _exit(Serve(std::move(theirs)));
    }
  }
  void TearDown() override {
    agent_.Reset();
    int status = 0;
    EXPECT_EQ(waitpid(server_, &status, 0), server_);
    EXPECT_EQ(status, 0) << "it ends when the agent is gone";
  }
  static int Serve(Descriptor theirs) {
    const std::optional<Spawned> spawned = RunForkServer(std::move(theirs));
    if (!spawned.has_value()) return 0;
    const std::string text = spawned->request.key + (spawned->request.only_clean_up ? " b" : " r") +
                             (spawned->secrets.valid() ? " secrets" : "") +
                             (getsid(0) == getpid() ? " detached" : "");
    SendPacket(spawned->agent.get(), text);
    return 0;
  }
  // What the server answers to a request with this number of descriptors.
  std::string Ask(const SpawnRequest& request, size_t descriptors) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return "no sockets";
    mine_.Reset(ends[0]);
    const Descriptor theirs(ends[1]);
    SendPacket(agent_.get(), EncodeSpawnRequest(request),
               std::vector<int>(descriptors, theirs.get()));
    Packet answer;
    const auto outcome = ReceivePacket(agent_.get(), Patience::kUntilOneComes, answer);
    return outcome == ReceiveOutcome::kMessage ? answer.bytes : "closed";
  }
  std::string SupervisorSays() {
    Packet packet;
    const auto outcome = ReceivePacket(mine_.get(), Patience::kUntilOneComes, packet);
    return outcome == ReceiveOutcome::kMessage ? packet.bytes : "closed";
  }

  Descriptor agent_;
  Descriptor mine_;
  pid_t server_ = 0;
};

TEST_F(ForkServerTest, StartsASupervisorAndAnswersWithItsPid) {
  const std::string answer = Ask({.key = "j1-0-1"}, 3);
  EXPECT_GT(std::atoi(answer.c_str()), 1) << answer;
  EXPECT_EQ(SupervisorSays(), "j1-0-1 r detached");
}

TEST_F(ForkServerTest, PassesOnWhetherThereAreSecretsAndWhatIsToBeDone) {
  EXPECT_GT(std::atoi(Ask({.only_clean_up = true, .key = "j2"}, 4).c_str()), 1);
  EXPECT_EQ(SupervisorSays(), "j2 b secrets detached");
}

TEST_F(ForkServerTest, RefusesARequestWithoutItsDescriptorsAndGoesOn) {
  const std::string refusal = std::to_string(-EMFILE);
  for (const size_t descriptors : {size_t{0}, size_t{1}, size_t{2}})
    EXPECT_EQ(Ask({.key = "j1"}, descriptors), refusal) << descriptors;
  EXPECT_GT(std::atoi(Ask({.key = "j3"}, 3).c_str()), 1);
  EXPECT_EQ(SupervisorSays(), "j3 r detached");
}

TEST_F(ForkServerTest, KeepsNoDescriptorOfASupervisorThatItStarted) {
  ASSERT_GT(std::atoi(Ask({.key = "j1"}, 3).c_str()), 1);
  EXPECT_EQ(SupervisorSays(), "j1 r detached");
  EXPECT_EQ(SupervisorSays(), "closed") << "the supervisor ended, and nobody else holds its end";
}

}  // namespace
}  // namespace gp
