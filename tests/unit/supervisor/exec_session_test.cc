#include "supervisor/process/exec_session.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gp {
namespace {

using ::testing::UnorderedElementsAre;

TEST(ExecSessionEnvironment, AddedVariablesReplaceThoseOfTheSameName) {
  EXPECT_THAT(MergeEnvironment({"A=1", "B=2", "C=3"}, {"B=x", "D=4"}),
              UnorderedElementsAre("A=1", "B=x", "C=3", "D=4"));
  EXPECT_THAT(MergeEnvironment({"A=1"}, {}), UnorderedElementsAre("A=1"));
  EXPECT_THAT(MergeEnvironment({}, {"A=1"}), UnorderedElementsAre("A=1"));
}

TEST(ExecSessionEnvironment, NamesAreComparedWhole) {
  EXPECT_THAT(MergeEnvironment({"PATH=/bin", "PATH_OLD=/x", "P=1"}, {"PATH=/usr/bin"}),
              UnorderedElementsAre("PATH=/usr/bin", "PATH_OLD=/x", "P=1"));
  EXPECT_THAT(MergeEnvironment({"A=B=C", "AB=1"}, {"A="}), UnorderedElementsAre("A=", "AB=1"));
}

TEST(ExecSession, PipesLeadFromTheCallerToTheChildAndBack) {
  auto session = ExecSession::Open(7, {}, geteuid());
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->id, 7u);
  ChildPlan plan;
  session->AttachTo(plan);
  EXPECT_FALSE(plan.terminal);
  const std::vector<int> caller = session->CallerEnds();
  ASSERT_EQ(caller.size(), 4u);
  char byte = 0;
  ASSERT_EQ(write(caller[0], "i", 1), 1);
  ASSERT_EQ(read(plan.input, &byte, 1), 1);
  EXPECT_EQ(byte, 'i');
  ASSERT_EQ(write(plan.output, "o", 1), 1);
  ASSERT_EQ(read(caller[1], &byte, 1), 1);
  EXPECT_EQ(byte, 'o');
  ASSERT_EQ(write(plan.errors, "e", 1), 1);
  ASSERT_EQ(read(caller[2], &byte, 1), 1);
  EXPECT_EQ(byte, 'e');
  for (const int end : caller) EXPECT_NE(fcntl(end, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(ExecSession, ATerminalHasItsSizeAndIsAllThreeStreams) {
  ExecSpec spec;
  spec.pty = true;
  spec.rows = 40;
  spec.columns = 132;
  auto session = ExecSession::Open(1, spec, geteuid());
  ASSERT_TRUE(session.has_value()) << session.error().message;
  ChildPlan plan;
  session->AttachTo(plan);
  EXPECT_TRUE(plan.terminal);
  EXPECT_TRUE(isatty(plan.input));
  EXPECT_EQ(plan.input, plan.output);
  EXPECT_EQ(plan.input, plan.errors);
  winsize size = {};
  ASSERT_EQ(ioctl(plan.input, TIOCGWINSZ, &size), 0);
  EXPECT_EQ(size.ws_row, 40);
  EXPECT_EQ(size.ws_col, 132);
  EXPECT_EQ(session->CallerEnds().size(), 3u) << "input, output and exit status";
}

TEST(ExecSession, ReportsTheExitOnce) {
  const std::pair<int, int32_t> cases[] = {
      {0, 0}, {3 << 8, 3}, {255 << 8, 255}, {SIGKILL, 137}, {SIGSEGV | 0x80, 139}};
  for (const auto& [wait_status, code] : cases) {
    auto session = ExecSession::Open(1, {}, geteuid());
    ASSERT_TRUE(session.has_value());
    session->ReportExit(wait_status);
    const int exit_status = session->CallerEnds().back();
    int32_t reported = -1;
    ASSERT_EQ(read(exit_status, &reported, sizeof reported), 4);
    EXPECT_EQ(reported, code);
    EXPECT_EQ(read(exit_status, &reported, sizeof reported), 0) << "then the pipe ends";
  }
}

}  // namespace
}  // namespace gp
