#include "supervisor/agent_link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "supervisor/records/attempt_record.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

class AgentLinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    agent_.Reset(ends[0]);
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(scratch_.path());
    const Status opened = link_.Open(Descriptor(ends[1]));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  // As an agent does after its restart.
  static Descriptor Connect() {
    Descriptor peer(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, kControlSocket);
    EXPECT_EQ(connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return peer;
  }
  static AttemptStatus StatusWith(int exit_code) {
    AttemptStatus status;
    status.exit_code = exit_code;
    return status;
  }
  // Exit code of the status that the agent gets; -1: none.
  static int Received(const Descriptor& agent) {
    ReceivedMessage received;
    if (ReceiveMessage(agent.get(), received) != ReceiveOutcome::kMessage) return -1;
    const auto* report = std::get_if<StatusReport>(&received.message);
    return report == nullptr ? -1 : report->status.exit_code;
  }

  const Scratch scratch_;
  std::filesystem::path before_;
  Descriptor agent_;
  AgentLink link_;
};

TEST_F(AgentLinkTest, RequestsOfTheAgentThatStartedUsArrive) {
  EXPECT_FALSE(link_.Receive().has_value());
  ASSERT_EQ(SendMessage(agent_.get(), RenewRequest{5}), SendOutcome::kSent);
  const auto message = link_.Receive();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(std::get<RenewRequest>(*message).lease_deadline_boot_ns, 5);
}

TEST_F(AgentLinkTest, ANewAgentReplacesTheOldOne) {
  const Descriptor later = Connect();
  link_.Accept();
  link_.Tell(StatusWith(7));
  EXPECT_EQ(Received(later), 7);
  ReceivedMessage received;
  EXPECT_EQ(ReceiveMessage(agent_.get(), received), ReceiveOutcome::kClosed);
}

TEST_F(AgentLinkTest, OnlyTheOwnerConnects) {
  struct stat facts = {};
  ASSERT_EQ(stat(kControlSocket, &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST_F(AgentLinkTest, TheSocketOfASupervisorThatDiedIsReplaced) {
  AgentLink again;
  EXPECT_TRUE(again.Open(Descriptor()).has_value());
  EXPECT_EQ(again.connection(), -1);
}

TEST_F(AgentLinkTest, WithoutAnAgentNothingWaitsToBeSent) {
  agent_.Reset();
  EXPECT_FALSE(link_.Receive().has_value());
  EXPECT_EQ(link_.connection(), -1);
  link_.Tell(StatusWith(1));
  EXPECT_FALSE(link_.has_unsent());
  link_.Answer({.id = 1}, {});
}

TEST_F(AgentLinkTest, AnAgentThatDiedIsNoticedWhenTheStatusIsSent) {
  agent_.Reset();
  link_.Tell(StatusWith(1));
  EXPECT_FALSE(link_.has_unsent());
  EXPECT_EQ(link_.connection(), -1);
}

TEST_F(AgentLinkTest, AnAgentThatDoesNotReadGetsTheNewestStatusLater) {
  int told = 0;
  while (told < 100'000 && !link_.has_unsent()) link_.Tell(StatusWith(++told));
  ASSERT_TRUE(link_.has_unsent());
  link_.Tell(StatusWith(1'000'001));
  link_.Tell(StatusWith(1'000'002));
  ASSERT_TRUE(link_.has_unsent()) << "and nobody was blocked";
  for (int i = 1; i < told; ++i) ASSERT_EQ(Received(agent_), i);
  link_.TellRest();
  EXPECT_FALSE(link_.has_unsent());
  EXPECT_EQ(Received(agent_), 1'000'002);
  EXPECT_EQ(Received(agent_), -1) << "what it replaced was never sent";
}

}  // namespace
}  // namespace gp
