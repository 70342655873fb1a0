#include "adapters/inbound/link/node_messages.h"

#include <gtest/gtest.h>

#include <set>

namespace gp {
namespace {

class NoNodes : public NodeGateway {
 public:
  Status Join(uint64_t, JoinNode, WhenJoined) override { return Fail(Unavailable("no nodes")); }
  ControllerEpoch Probe() const override { return {}; }
  Status OpenChannel(NodeId, uint64_t) override { return Fail(Unavailable("no nodes")); }
};

// The token by which the ranks of an attempt know each other, as the agents are sent it.
class JobTokens : public testing::Test {
 protected:
  static DesiredLease Desired(uint64_t lease, int rank, Launcher launcher = Launcher::kMpi) {
    DesiredLease desired;
    desired.lease.id = {lease};
    desired.lease.job = {5};
    desired.lease.attempt = 1;
    desired.lease.rank = rank;
    JobSpec spec;
    spec.program.command = {"run"};
    spec.program.launcher = launcher;
    desired.spec = std::make_shared<const JobSpec>(spec);
    desired.node_names = {"n0", "n1"};
    return desired;
  }
  std::string TokenOf(const DesiredLease& desired, const std::string& join_token = "join",
                      uint64_t lineage = 3) {
    ControllerNews news;
    NodeDesiredState state;
    state.lineage = lineage;
    state.leases = {desired};
    news.desired = std::move(state);
    const ControllerMessages messages(nullptr, join_token, channels_);
    return messages.ToMessage(news).orders().leases(0).job_token();
  }
  NoNodes nodes_;
  NodeChannels channels_{nodes_};
};

TEST_F(JobTokens, AreTheSameForAllRanksAlsoOfAnotherProcess) {
  const std::string token = TokenOf(Desired(1, 0));
  EXPECT_EQ(token.size(), 64u);
  EXPECT_EQ(TokenOf(Desired(2, 1)), token);
}

TEST_F(JobTokens, DifferByJobAttemptJournalAndCluster) {
  std::set<std::string> tokens{TokenOf(Desired(1, 0))};
  DesiredLease other = Desired(1, 0);
  other.lease.job = {6};
  tokens.insert(TokenOf(other));
  other = Desired(1, 0);
  other.lease.attempt = 2;
  tokens.insert(TokenOf(other));
  tokens.insert(TokenOf(Desired(1, 0), "join", 4));
  tokens.insert(TokenOf(Desired(1, 0), "another"));
  EXPECT_EQ(tokens.size(), 5u);
}

TEST_F(JobTokens, AreSentOnlyWhereRanksReachEachOtherAndAreToStart) {
  EXPECT_EQ(TokenOf(Desired(1, 0, Launcher::kTorchrun)), "");
  EXPECT_EQ(TokenOf(Desired(1, 0, Launcher::kNone)), "");
  EXPECT_NE(TokenOf(Desired(1, 0, Launcher::kRay)), "");
  DesiredLease alone = Desired(1, 0);
  alone.node_names = {"n0"};
  EXPECT_EQ(TokenOf(alone), "");
  DesiredLease started = Desired(1, 0);
  started.lease.phase = LeasePhase::kStarted;
  EXPECT_EQ(TokenOf(started), "");
  DesiredLease stopped = Desired(1, 0);
  stopped.lease.stop = StopOrder::kGraceful;
  EXPECT_EQ(TokenOf(stopped), "");
}

}  // namespace
}  // namespace gp
