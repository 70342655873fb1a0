#include "infrastructure/agent_identity.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "infrastructure/paths.h"
#include "tests/support/lower_layer.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

class AgentIdentity : public testing::Test {
 protected:
  AgentIdentity() { fs::create_directories(directory_); }
  ~AgentIdentity() override { fs::remove_all(directory_); }
  std::string Path(const char* name) const { return directory_ + "/" + name; }

  const std::string directory_ = testing::TempDir() + "agent_identity." + std::to_string(getpid());
};

TEST_F(AgentIdentity, IncarnationsGrowAndOnlyTheFirstIsFresh) {
  const Instant now{5'000'000'000};
  const AgentIncarnation first = *NextIncarnation(directory_, now);
  const AgentIncarnation second = *NextIncarnation(directory_, now);
  EXPECT_TRUE(first.fresh);
  EXPECT_FALSE(second.fresh);
  EXPECT_EQ(first.number, 5u);
  EXPECT_EQ(second.number, 6u);
}

TEST_F(AgentIdentity, TheControllerThatIsFollowedIsKept) {
  EXPECT_EQ(*FollowedController(directory_), ControllerEpoch{});
  const ControllerEpoch followed{1'795'228'800'000'000'001, 7};
  ASSERT_TRUE(KeepFollowedController(directory_, followed));
  EXPECT_EQ(*FollowedController(directory_), followed);
}

TEST_F(AgentIdentity, LogsOfTheLineageBeforeAreSetAside) {
  ASSERT_TRUE(KeepFollowedController(directory_, {32, 1}));
  fs::create_directories(Path("logs/job-0001/1"));
  ASSERT_TRUE(KeepFollowedController(directory_, {33, 1}));
  EXPECT_FALSE(fs::exists(Path("logs")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010/job-0001/1")));
}

TEST_F(AgentIdentity, ALineageThatComesBackLosesNoLogs) {
  for (const uint64_t lineage : {32, 33, 32, 33, 34}) {
    ASSERT_TRUE(KeepFollowedController(directory_, {lineage, 1}));
    fs::create_directories(Path("logs/job-0001"));
  }
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010.2")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000011.2")));
}

TEST(AgentIdentityOverlay, LogsInALowerLayerAreSetAsideToo) {
  const LowerLayer layer("agent_identity_lower");
  ASSERT_TRUE(KeepFollowedController(layer.lower(), {32, 1}));
  fs::create_directories(layer.lower() + "/logs/job-0001/1");
  GP_COVER_OR_SKIP(layer);
  const Status kept = KeepFollowedController(layer.top(), {33, 1});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(FollowedController(layer.top())->lineage, 33u);
  EXPECT_FALSE(fs::exists(layer.top() + "/logs"));
  EXPECT_TRUE(fs::exists(layer.top() + "/logs-0000000000010/job-0001/1"));
}

TEST_F(AgentIdentity, AnotherEpochOfTheLineageLeavesTheLogs) {
  ASSERT_TRUE(KeepFollowedController(directory_, {32, 1}));
  fs::create_directories(Path("logs/job-0001/1"));
  ASSERT_TRUE(KeepFollowedController(directory_, {32, 2}));
  EXPECT_TRUE(fs::exists(Path("logs/job-0001/1")));
}

TEST_F(AgentIdentity, AFileOfAnEarlierVersionHasNoEpoch) {
  ASSERT_TRUE(WriteTextFile(Path("lineage"), "0000000000010\n", 0600));
  EXPECT_EQ(*FollowedController(directory_), (ControllerEpoch{32, 0}));
}

TEST_F(AgentIdentity, ADamagedFileIsNamed) {
  ASSERT_TRUE(WriteTextFile(Path("lineage"), "?!\n", 0600));
  EXPECT_NE(FollowedController(directory_).error().message.find(Path("lineage")),
            std::string::npos);
  ASSERT_TRUE(WriteTextFile(Path("lineage"), "0000000000010\nx\n", 0600));
  EXPECT_FALSE(FollowedController(directory_));
}

TEST_F(AgentIdentity, AJoinTokenIsMadeOnceAndForItsUserOnly) {
  const std::string token = *JoinToken(directory_);
  EXPECT_GE(token.size(), 52u);
  EXPECT_EQ(*JoinToken(directory_), token);
  EXPECT_EQ(fs::status(Path("join-token")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace gp
