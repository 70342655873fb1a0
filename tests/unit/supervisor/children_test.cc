// Processes that are started for real.  All of them are children of this one.

#include "supervisor/process/children.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gp {
namespace {

using ::testing::HasSubstr;

class ChildrenTest : public ::testing::Test {
 protected:
  ChildPlan Program(std::vector<std::string> argv) const {
    ChildPlan plan;
    plan.argv = std::move(argv);
    plan.environment = {"PATH=/usr/bin:/bin"};
    plan.input = plan.output = plan.errors = null_.get();
    return plan;
  }
  ChildPlan Work(std::function<int()> work) const {
    ChildPlan plan = Program({});
    plan.work = std::move(work);
    return plan;
  }
  // All exits until no child is left.
  std::vector<Exit> ReapAll() {
    std::vector<Exit> exits;
    do {
      siginfo_t ended = {};
      waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
      for (Exit& exit : children_.Reap()) exits.push_back(std::move(exit));
    } while (!children_.none_left());
    return exits;
  }
  static void AwaitStart(Child& child) {
    while (!Children::LearnStart(child)) {
    }
  }

  const Descriptor null_{open("/dev/null", O_RDWR | O_CLOEXEC)};
  Children children_;
};

TEST_F(ChildrenTest, ReapsWhatItStartedWithItsRoleAndStatus) {
  ASSERT_TRUE(children_.Start(ChildRole::kMain, Program({"sh", "-c", "exit 3"}), {}).has_value());
  ASSERT_TRUE(children_.Start(ChildRole::kCheck, Work([] { return 4; }), {}).has_value());
  EXPECT_TRUE(children_.Has(ChildRole::kMain));
  EXPECT_TRUE(children_.Has(ChildRole::kCheck));
  EXPECT_FALSE(children_.Has(ChildRole::kHook));
  EXPECT_FALSE(children_.none_left());
  const std::vector<Exit> exits = ReapAll();
  ASSERT_EQ(exits.size(), 2u);
  for (const Exit& exit : exits) {
    EXPECT_EQ(WEXITSTATUS(exit.wait_status), exit.child.role == ChildRole::kMain ? 3 : 4);
  }
  EXPECT_FALSE(children_.Has(ChildRole::kMain));
  EXPECT_TRUE(children_.list().empty());
}

TEST_F(ChildrenTest, AProgramThatRunsHasNoFailure) {
  ASSERT_TRUE(children_.Start(ChildRole::kMain, Program({"true"}), {}).has_value());
  Child& child = children_.list().front();
  AwaitStart(child);
  EXPECT_EQ(child.failure, "");
  EXPECT_FALSE(child.start_failure.valid());
  ReapAll();
}

TEST_F(ChildrenTest, AProgramThatIsNotThereIsTheJobsFault) {
  ASSERT_TRUE(children_.Start(ChildRole::kMain, Program({"no-such-program"}), {}).has_value());
  Child& child = children_.list().front();
  AwaitStart(child);
  EXPECT_EQ(child.failure, "cannot run no-such-program: No such file or directory");
  EXPECT_EQ(child.failure_cause, EndCause::kCouldNotStart);
  EXPECT_EQ(WEXITSTATUS(ReapAll().front().wait_status), 127);
}

TEST_F(ChildrenTest, AWorkingDirectoryThatIsNotThereIsTheJobsFault) {
  ChildPlan plan = Program({"true"});
  plan.working_directory = "/no/such/directory";
  ASSERT_TRUE(children_.Start(ChildRole::kMain, plan, {}).has_value());
  Child& child = children_.list().front();
  AwaitStart(child);
  EXPECT_THAT(child.failure, HasSubstr("cannot enter the working directory /no/such/directory"));
  EXPECT_EQ(child.failure_cause, EndCause::kCouldNotStart);
  ReapAll();
}

TEST_F(ChildrenTest, DescriptorsThatCannotBeSetUpAreThePlatformsFault) {
  ChildPlan plan = Program({"true"});
  plan.input = 1'000'000;
  ASSERT_TRUE(children_.Start(ChildRole::kMain, plan, {}).has_value());
  Child& child = children_.list().front();
  AwaitStart(child);
  EXPECT_EQ(child.failure, "cannot set up descriptors: Bad file descriptor");
  EXPECT_EQ(child.failure_cause, EndCause::kPlatformFault);
  ReapAll();
}

TEST_F(ChildrenTest, WithoutAProgramNothingIsStarted) {
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{}, std::vector<std::string>{"", "argument"}}) {
    const Status started = children_.Start(ChildRole::kMain, Program(argv), {});
    ASSERT_FALSE(started.has_value());
    EXPECT_EQ(started.error(), InvalidArgument("there is no program to run"));
  }
  EXPECT_TRUE(children_.list().empty());
  EXPECT_TRUE(children_.none_left());
}

TEST_F(ChildrenTest, AProgramHasOnlyItsOwnEnvironmentAndPath) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  setenv("OF_THE_SUPERVISOR", "1", 1);
  ChildPlan plan = Program({"env"});
  plan.environment.push_back("OF_THE_JOB=2");
  plan.output = write_end.get();
  ASSERT_TRUE(children_.Start(ChildRole::kMain, plan, {}).has_value());
  write_end.Reset();
  unsetenv("OF_THE_SUPERVISOR");
  std::string text;
  char buffer[512];
  ssize_t count = 0;
  while ((count = read(read_end.get(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(count));
  EXPECT_EQ(text, "PATH=/usr/bin:/bin\nOF_THE_JOB=2\n");
  ReapAll();
}

TEST_F(ChildrenTest, AProgramInheritsNoDescriptorAndNoBlockedSignal) {
  const Descriptor open_here(dup(null_.get()));  // without FD_CLOEXEC
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const std::string script =
      "test ! -e /proc/self/fd/" + std::to_string(open_here.get()) + " && kill -TERM $$; exit 1";
  const Status started = children_.Start(ChildRole::kMain, Program({"sh", "-c", script}), {});
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(started.has_value());
  const std::vector<Exit> exits = ReapAll();
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_TRUE(WIFSIGNALED(exits[0].wait_status)) << WEXITSTATUS(exits[0].wait_status);
}

TEST_F(ChildrenTest, KillsThoseOfOneRoleAlone) {
  ASSERT_TRUE(children_.Start(ChildRole::kHook, Program({"sleep", "1000"}), {}).has_value());
  ASSERT_TRUE(children_.Start(ChildRole::kExec, Program({"sleep", "1000"}), {}).has_value());
  children_.Kill(ChildRole::kHook);
  std::vector<Exit> exits;
  while (exits.empty()) {
    siginfo_t ended = {};
    waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
    exits = children_.Reap();
  }
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_EQ(exits[0].child.role, ChildRole::kHook);
  EXPECT_TRUE(children_.Has(ChildRole::kExec));
  EXPECT_FALSE(children_.none_left());
  children_.Kill(ChildRole::kExec);
  EXPECT_EQ(ReapAll().size(), 1u);
}

TEST_F(ChildrenTest, KillsAllDirectChildrenExceptChecks) {
  ASSERT_TRUE(children_.Start(ChildRole::kCheck, Program({"sleep", "1000"}), {}).has_value());
  ASSERT_TRUE(children_.Start(ChildRole::kMain, Program({"sleep", "1000"}), {}).has_value());
  ASSERT_TRUE(children_.Start(ChildRole::kDiscard, Program({"sleep", "1000"}), {}).has_value());
  children_.KillDirect();
  size_t ended = 0;
  while (ended < 2) {
    siginfo_t any = {};
    waitid(P_ALL, 0, &any, WEXITED | WNOWAIT);
    for (const Exit& exit : children_.Reap()) {
      EXPECT_NE(exit.child.role, ChildRole::kCheck);
      ++ended;
    }
  }
  EXPECT_TRUE(children_.Has(ChildRole::kCheck));
  children_.Kill(ChildRole::kCheck);
  ReapAll();
}

TEST_F(ChildrenTest, OrphansAreReapedAndNotListed) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  ASSERT_TRUE(
      children_.Start(ChildRole::kMain, Program({"sh", "-c", "sleep 0.1 & sleep 0.1 & exit 5"}), {})
          .has_value());
  const std::vector<Exit> exits = ReapAll();
  prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_EQ(WEXITSTATUS(exits[0].wait_status), 5);
}

TEST_F(ChildrenTest, OneThatWasStartedInAnotherWayIsListedWhenAdded) {
  const pid_t pid = fork();
  if (pid == 0) _exit(9);
  children_.Add(ChildRole::kFirst, pid);
  EXPECT_TRUE(children_.Has(ChildRole::kFirst));
  EXPECT_FALSE(children_.none_left());
  const std::vector<Exit> exits = ReapAll();
  ASSERT_EQ(exits.size(), 1u);
  EXPECT_EQ(exits[0].child.role, ChildRole::kFirst);
  EXPECT_EQ(WEXITSTATUS(exits[0].wait_status), 9);
}

}  // namespace
}  // namespace gp
