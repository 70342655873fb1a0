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

TEST_F(AgentIdentity, ALineageIsKept) {
  EXPECT_EQ(*Lineage(directory_), 0u);
  ASSERT_TRUE(KeepLineage(directory_, 1'795'228'800'000'000'001));
  EXPECT_EQ(*Lineage(directory_), 1'795'228'800'000'000'001u);
}

TEST_F(AgentIdentity, LogsOfTheLineageBeforeAreSetAside) {
  ASSERT_TRUE(KeepLineage(directory_, 32));
  fs::create_directories(Path("logs/job-0001/1"));
  ASSERT_TRUE(KeepLineage(directory_, 33));
  EXPECT_FALSE(fs::exists(Path("logs")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010/job-0001/1")));
}

TEST_F(AgentIdentity, ALineageThatComesBackLosesNoLogs) {
  for (const uint64_t lineage : {32, 33, 32, 33, 34}) {
    ASSERT_TRUE(KeepLineage(directory_, lineage));
    fs::create_directories(Path("logs/job-0001"));
  }
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000010.2")));
  EXPECT_TRUE(fs::exists(Path("logs-0000000000011.2")));
}

TEST(AgentIdentityOverlay, LogsInALowerLayerAreSetAsideToo) {
  const LowerLayer layer("agent_identity_lower");
  ASSERT_TRUE(KeepLineage(layer.lower(), 32));
  fs::create_directories(layer.lower() + "/logs/job-0001/1");
  GP_COVER_OR_SKIP(layer);
  const Status kept = KeepLineage(layer.top(), 33);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(*Lineage(layer.top()), 33u);
  EXPECT_FALSE(fs::exists(layer.top() + "/logs"));
  EXPECT_TRUE(fs::exists(layer.top() + "/logs-0000000000010/job-0001/1"));
}

TEST_F(AgentIdentity, ADamagedFileIsNamed) {
  ASSERT_TRUE(WriteTextFile(Path("lineage"), "?!\n", 0600));
  EXPECT_NE(Lineage(directory_).error().message.find(Path("lineage")), std::string::npos);
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
