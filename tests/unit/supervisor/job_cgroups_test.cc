// Against directories with files of the same names as the kernel's.

#include "supervisor/process/job_cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobCgroupsTest : public ::testing::Test {
 protected:
  static JobCgroups Open(const CgroupPaths& paths) {
    auto cgroups = JobCgroups::Open(paths);
    EXPECT_TRUE(cgroups.has_value());
    return cgroups.has_value() ? std::move(*cgroups) : JobCgroups();
  }
  CgroupPaths Unified() const { return {.unified = scratch_.In("unified")}; }
  CgroupPaths Freezer() const {
    return {.joined = {scratch_.In("memory"), scratch_.In("freezer")},
            .freezer = scratch_.In("freezer")};
  }
  static pid_t StartSleeper() {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    return child;
  }

  const Scratch scratch_;
};

TEST_F(JobCgroupsTest, WithoutCgroupsThereIsNothingToKillByThem) {
  const JobCgroups none = Open({});
  EXPECT_FALSE(none.CanKill());
  EXPECT_TRUE(none.IsEmpty());
  EXPECT_EQ(none.unified(), -1);
  EXPECT_EQ(none.Members(), std::nullopt);
  EXPECT_EQ(none.OomKills(), 0);
  EXPECT_EQ(none.JoinLegacy(), "");
  none.KillAll();
}

TEST_F(JobCgroupsTest, ACgroupThatIsGoneIsNamed) {
  const auto unified = JobCgroups::Open(Unified());
  ASSERT_FALSE(unified.has_value());
  EXPECT_EQ(unified.error().message,
            "cannot open " + scratch_.In("unified") + ": No such file or directory");
  std::filesystem::create_directories(scratch_.In("freezer"));
  const auto joined = JobCgroups::Open(Freezer());
  ASSERT_FALSE(joined.has_value());
  EXPECT_THAT(joined.error().message, HasSubstr(scratch_.In("memory") + "/tasks"));
}

TEST_F(JobCgroupsTest, TheUnifiedOneKnowsWhetherItIsEmpty) {
  scratch_.Write("unified/cgroup.events", "populated 1\nfrozen 0\n");
  const JobCgroups cgroups = Open(Unified());
  EXPECT_TRUE(cgroups.CanKill());
  EXPECT_FALSE(cgroups.IsEmpty());
  scratch_.Write("unified/cgroup.events", "populated 0\nfrozen 0\n");
  EXPECT_TRUE(cgroups.IsEmpty());
}

TEST_F(JobCgroupsTest, TheUnifiedOneKillsAllAtOnce) {
  scratch_.Write("unified/cgroup.kill", "");
  scratch_.Write("unified/cgroup.freeze", "");
  Open(Unified()).KillAll();
  EXPECT_EQ(scratch_.Read("unified/cgroup.kill"), "1");
  EXPECT_EQ(scratch_.Read("unified/cgroup.freeze"), "") << "it was not frozen";
}

TEST_F(JobCgroupsTest, AnOldKernelsUnifiedOneIsFrozenKilledAndThawed) {
  const pid_t inside = StartSleeper();
  const pid_t outside = StartSleeper();
  scratch_.Write("unified/cgroup.procs", std::to_string(inside) + "\n");
  scratch_.Write("unified/cgroup.freeze", "");
  scratch_.Write("unified/cgroup.events", "populated 1\nfrozen 1\n");
  Open(Unified()).KillAll();
  int status = 0;
  EXPECT_EQ(waitpid(inside, &status, 0), inside);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(waitpid(outside, &status, WNOHANG), 0) << "it is not listed";
  EXPECT_EQ(scratch_.Read("unified/cgroup.freeze"), "0");
  kill(outside, SIGKILL);
  waitpid(outside, &status, 0);
}

TEST_F(JobCgroupsTest, TheFreezerIsUsedWithVersion1) {
  const pid_t inside = StartSleeper();
  scratch_.Write("memory/tasks", "");
  scratch_.Write("freezer/tasks", "");
  scratch_.Write("freezer/cgroup.procs", std::to_string(inside) + "\n");
  scratch_.Write("freezer/freezer.state", "");
  const JobCgroups cgroups = Open(Freezer());
  EXPECT_TRUE(cgroups.CanKill());
  EXPECT_FALSE(cgroups.IsEmpty());
  cgroups.KillAll();
  int status = 0;
  EXPECT_EQ(waitpid(inside, &status, 0), inside);
  // A file keeps what a shorter write leaves; the kernel's does not.
  EXPECT_EQ(scratch_.Read("freezer/freezer.state"), "THAWED");
  scratch_.Write("freezer/cgroup.procs", "");
  EXPECT_TRUE(cgroups.IsEmpty());
}

TEST_F(JobCgroupsTest, ListsItsMembersAndNeverTheInit) {
  scratch_.Write("unified/cgroup.procs", "12\n4000000\n");
  const JobCgroups cgroups = Open(Unified());
  EXPECT_THAT(*cgroups.Members(), ElementsAre(12, 4'000'000));
  // 0 is a process of another pid namespace: kill(0) would end the supervisor's own group.
  scratch_.Write("unified/cgroup.procs", "0\n1\n12\n");
  EXPECT_THAT(*cgroups.Members(), ElementsAre(12));
  scratch_.Write("unified/cgroup.procs", "");
  EXPECT_THAT(*cgroups.Members(), ElementsAre());
}

TEST_F(JobCgroupsTest, MembersMayBeMany) {
  std::string pids;
  for (int pid = 100'000; pid < 102'000; ++pid) pids += std::to_string(pid) + "\n";
  scratch_.Write("unified/cgroup.procs", pids);
  const auto members = Open(Unified()).Members();
  ASSERT_EQ(members->size(), 2'000u);
  EXPECT_EQ(members->front(), 100'000);
  EXPECT_EQ(members->back(), 101'999);
}

TEST_F(JobCgroupsTest, JoinsEachOfVersion1) {
  scratch_.Write("memory/tasks", "");
  scratch_.Write("freezer/tasks", "");
  EXPECT_EQ(Open(Freezer()).JoinLegacy(), "");
  EXPECT_EQ(scratch_.Read("memory/tasks"), "0");
  EXPECT_EQ(scratch_.Read("freezer/tasks"), "0");
}

TEST_F(JobCgroupsTest, NamesTheOneThatCannotBeJoined) {
  std::filesystem::create_directories(scratch_.In("memory"));
  std::filesystem::create_symlink("/dev/full", scratch_.In("memory/tasks"));
  scratch_.Write("freezer/tasks", "");
  EXPECT_EQ(Open(Freezer()).JoinLegacy(), scratch_.In("memory"));
}

TEST_F(JobCgroupsTest, CountsTheKillsForMemoryInEveryFormOfTheFile) {
  const std::pair<const char*, int64_t> cases[] = {
      {"low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 9\n", 2},
      {"oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1},  // version 1
      {"oom_kill 7", 7},
      {"oom_kill_disable 1\nunder_oom 0\n", 0},
      {"low 0\n", 0},
      {"", 0},
      {"oom_kill \n", 0}};
  for (const auto& [text, kills] : cases) {
    const std::string path = scratch_.Write("memory.events", text);
    EXPECT_EQ(Open({.oom_events = path}).OomKills(), kills) << text;
  }
  EXPECT_EQ(Open({.oom_events = scratch_.In("none")}).OomKills(), 0);
}

TEST_F(JobCgroupsTest, SeesKillsThatComeLater) {
  const std::string path = scratch_.Write("memory.events", "oom_kill 0\n");
  const JobCgroups cgroups = Open({.oom_events = path});
  EXPECT_EQ(cgroups.OomKills(), 0);
  scratch_.Write("memory.events", "oom_kill 4\n");
  EXPECT_EQ(cgroups.OomKills(), 4);
}

}  // namespace
}  // namespace gp
