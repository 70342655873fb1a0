// The cgroups of agents that ended or were killed.  Needs root.

#include "adapters/outbound/cgroup/agent_root.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "adapters/outbound/cgroup/hierarchy.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AgentRootName, OnlyThoseOfAgentsAndProbes) {
  for (const char* name : {"gpu-platform-0123456789abc", "gpu-platform-probe-17"})
    EXPECT_TRUE(IsAgentRootName(name)) << name;
  for (const char* name :
       {"gpu-platform", "gpu-platform-", "gpu-platform-0123456789ab", "gpu-platform-0123456789abcd",
        "gpu-platform.service", "gpu-platform-probe-", "gpu-platform-probe-x",
        "gpu-platform-agent.servi", "my-gpu-platform-0123456789abc"}) {
    EXPECT_FALSE(IsAgentRootName(name)) << name;
  }
}

class AgentRootTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto hierarchy = ReadHierarchy();
    if (geteuid() != 0 || !hierarchy || (hierarchy->unified.empty() && hierarchy->legacy.empty()))
      GTEST_SKIP() << "SKIPPED: this test needs root, and cgroups";
    const std::string own =
        hierarchy->unified.empty() ? hierarchy->legacy.begin()->second : hierarchy->unified;
    parent_ = own + "/gp-agent-root-test-" + std::to_string(getpid());
    ASSERT_EQ(mkdir(parent_.c_str(), 0755), 0);
  }
  void TearDown() override {
    if (parent_.empty()) return;
    EXPECT_TRUE(RemoveCgroup(parent_));
  }
  std::string Root(char letter) const {
    return parent_ + "/gpu-platform-" + std::string(13, letter);
  }
  // With the cgroup of an attempt.
  std::string Leave(char letter) const {
    fs::create_directories(Root(letter) + "/lease-0001");
    return Root(letter);
  }

  std::string parent_;
};

TEST_F(AgentRootTest, GoesWithItsAgentUnlessAnAttemptIsLeft) {
  for (const bool has_attempt : {false, true}) {
    AgentRoot root = *AgentRoot::Hold(Root('a'));
    if (has_attempt) Leave('a');
    root.RemoveIfUnused();
    EXPECT_EQ(fs::exists(Root('a')), has_attempt);
  }
}

TEST_F(AgentRootTest, GoesWithTheLastOfThoseWhoHoldIt) {
  AgentRoot first = *AgentRoot::Hold(Root('a'));
  AgentRoot second = *AgentRoot::Hold(Root('a'));
  first.RemoveIfUnused();
  EXPECT_TRUE(fs::exists(Root('a')));
  second.RemoveIfUnused();
  EXPECT_FALSE(fs::exists(Root('a')));
}

TEST_F(AgentRootTest, WhatAKilledAgentLeftIsFoundAndRemoved) {
  const pid_t agent = fork();
  if (agent == 0) {
    const auto root = AgentRoot::Hold(Root('a'));
    Leave('a');
    pause();
    _exit(root ? 0 : 1);
  }
  while (!fs::exists(Root('a') + "/lease-0001")) usleep(1'000);
  EXPECT_THAT(AbandonedRootsIn(parent_), IsEmpty()) << "its agent lives";
  kill(agent, SIGKILL);
  waitpid(agent, nullptr, 0);
  EXPECT_THAT(AbandonedRootsIn(parent_), ElementsAre(Root('a')));
  RemoveAbandonedRoot(Root('a'));
  EXPECT_FALSE(fs::exists(Root('a')));
}

TEST_F(AgentRootTest, WhatIsInUseStays) {
  const AgentRoot held = *AgentRoot::Hold(Root('a'));
  const std::string running = Leave('b') + "/lease-0001";
  const pid_t job = fork();
  if (job == 0) {
    pause();
    _exit(0);
  }
  ASSERT_TRUE(WriteCgroupFile(running + "/cgroup.procs", std::to_string(job)));
  fs::create_directory(parent_ + "/somebody-else");
  EXPECT_THAT(AbandonedRootsIn(parent_), IsEmpty());
  for (const std::string& root : {Root('a'), Root('b')}) {
    RemoveAbandonedRoot(root);
    EXPECT_TRUE(fs::exists(root)) << root;
  }
  EXPECT_TRUE(fs::exists(running));
  kill(job, SIGKILL);
  waitpid(job, nullptr, 0);
}

TEST_F(AgentRootTest, ThoseBelowOtherCgroupsAreFoundToo) {
  fs::create_directories(parent_ + "/user.slice/gpu-platform-probe-17");
  Leave('a');
  EXPECT_THAT(AbandonedRootsIn(parent_), ElementsAre(Root('a')));
  EXPECT_THAT(AbandonedRootsBelow(parent_),
              ElementsAre(Root('a'), parent_ + "/user.slice/gpu-platform-probe-17"));
}

}  // namespace
}  // namespace gp
