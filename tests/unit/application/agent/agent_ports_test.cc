#include <gtest/gtest.h>

#include <algorithm>

#include "domain/model/jobs/ports.h"
#include "domain/model/nodes/features.h"
#include "tests/unit/application/agent/agent_loop_fixture.h"

namespace gp {
namespace {

// The agent leases the ports at which the ranks of an attempt meet.
class AgentPortsTest : public AgentLoopTest {
 protected:
  static DesiredLease RankOfTwo(uint64_t lease, int rank) {
    DesiredLease desired = Desired(lease);
    desired.lease.rank = rank;
    desired.node_names = {"n1", "n2"};
    desired.awaits_ports = true;
    return desired;
  }
  static DesiredLease WithPorts(DesiredLease desired, int first_port) {
    desired.first_port = first_port;
    desired.awaits_ports = false;
    return desired;
  }
  void UntilReported(const std::function<bool(const LeaseObservation&)>& condition) {
    Until([&] {
      return link_.With([&] {
        return !link_.reports.empty() &&
               std::ranges::any_of(link_.reports.back().leases, condition);
      });
    });
  }
  std::string Variable(size_t launch, const std::string& name) {
    return runner_.With([&] {
      for (const std::string& one : runner_.launches[launch].environment) {
        if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
      }
      return std::string("none");
    });
  }
  const int preferred_ = PreferredFirstPort({1}, 1);
};

TEST_F(AgentPortsTest, ItSaysThatItLeasesPorts) {
  UntilJoined();
  EXPECT_TRUE(
      link_.With([&] { return link_.joins[0].facts->features.contains(kPortLeasesFeature); }));
}

TEST_F(AgentPortsTest, ARankAloneStartsWithPortsAtOnce) {
  UntilJoined();
  Tell(1, {Desired(1)});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(Variable(0, "MASTER_PORT"), std::to_string(preferred_));
  EXPECT_EQ(Variable(0, "GP_PORTS"),
            std::to_string(preferred_) + "-" + std::to_string(preferred_ + 6));
}

TEST_F(AgentPortsTest, RankZeroReportsItsPortsAndStartsWithThoseThatTheControllerNames) {
  UntilJoined();
  Tell(1, {RankOfTwo(1, 0)});
  UntilReported([&](const LeaseObservation& seen) {
    return seen.first_port == preferred_ && !seen.running && !seen.ended;
  });
  EXPECT_EQ(Launches(), 0u);
  // It has the word of an earlier process of the agent, say.
  Tell(2, {WithPorts(RankOfTwo(1, 0), preferred_ + kPortsInBlock)});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(Variable(0, "GP_MASTER_PORT"), std::to_string(preferred_ + kPortsInBlock));
  EXPECT_EQ(port_blocks_.Of({1}), preferred_ + kPortsInBlock);
}

// After a restart of the agent, neither of them has started.
TEST_F(AgentPortsTest, PortsThatAGangHasAlreadyAreNotTakenByAnEarlierLease) {
  UntilJoined();
  Tell(1, {Desired(1), WithPorts(RankOfTwo(2, 0), preferred_)});
  Until([&] { return Launches() == 2; });
  EXPECT_EQ(port_blocks_.Of({2}), preferred_);
  EXPECT_NE(port_blocks_.Of({1}), preferred_);
  EXPECT_NE(port_blocks_.Of({1}), 0);
}

TEST_F(AgentPortsTest, AnotherRankWaitsAndLeasesNone) {
  UntilJoined();
  Tell(1, {RankOfTwo(1, 1), Desired(2)});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(Variable(0, "GP_JOB_ID"), "job-2");
  EXPECT_EQ(port_blocks_.Of({1}), 0);
  Tell(2, {WithPorts(RankOfTwo(1, 1), 20'000), Desired(2)});
  Until([&] { return Launches() == 2; });
  EXPECT_EQ(Variable(1, "PET_MASTER_PORT"), "20000");
  EXPECT_EQ(port_blocks_.Of({1}), 0);
}

TEST_F(AgentPortsTest, WithoutPortsAGangIsAFaultOfThePlatformAndARankAloneStarts) {
  port_blocks_.Fill();
  UntilJoined();
  Tell(1, {RankOfTwo(1, 0), Desired(2)});
  UntilReported([&](const LeaseObservation& seen) {
    return seen.ended && seen.outcome.end == LeaseEnd::kPlatformFault;
  });
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(Variable(0, "GP_PORTS"), "none");
  EXPECT_EQ(Variable(0, "MASTER_PORT"), std::to_string(UnleasedPort({2}, 1)));
}

TEST_F(AgentPortsTest, PortsAreGivenBackWithTheLease) {
  UntilJoined();
  Tell(1, {Desired(1), Desired(2)});
  Until([&] { return Launches() == 2; });
  runner_.With([&] {
    runner_.attempts["lease-0001"].phase = AttemptPhase::kExited;
    return 0;
  });
  Until([&] { return port_blocks_.Of({1}) == 0; });
  EXPECT_NE(port_blocks_.Of({2}), 0);
}

// The order of an older controller names no ports; ranks compute the same.
TEST_F(AgentPortsTest, AGangOfAnOlderControllerComputesItsPort) {
  UntilJoined();
  DesiredLease desired = RankOfTwo(1, 0);
  desired.awaits_ports = false;
  Tell(1, {desired});
  Until([&] { return Launches() == 1; });
  EXPECT_EQ(Variable(0, "MASTER_PORT"), std::to_string(UnleasedPort({1}, 1)));
  EXPECT_EQ(port_blocks_.Of({1}), 0);
}

}  // namespace
}  // namespace gp
