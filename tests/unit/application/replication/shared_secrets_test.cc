#include "application/replication/shared_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "application/replication/lead/leader_key.h"
#include "lib/secrets/seal.h"
#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr SecretOwner OfUser(const char* user) { return {.queue = "", .user = user}; }

// A keeper with a limit of five secrets.
class KeptHere : public SecretKeeper {
 public:
  Status Set(const SecretFacts& facts, const std::string& value) override {
    if (!kept.contains({facts.owner, facts.name}) && kept.size() == 5)
      return Fail(Conflict("too many"));
    kept[{facts.owner, facts.name}] = {facts, value};
    ++writes;
    return Ok();
  }
  Status Delete(const SecretOwner& owner, const std::string& name) override {
    ++writes;
    return kept.erase({owner, name}) == 1 ? Ok() : Fail(NotFound("none"));
  }
  std::vector<SecretFacts> List() const override {
    std::vector<SecretFacts> all;
    for (const auto& [key, one] : kept) all.push_back(one.first);
    return all;
  }
  std::optional<std::string> Find(const std::string& name, const std::string& user,
                                  const std::string& queue) const override {
    const auto found = kept.find({SecretOwner{queue, user}, name});
    return found == kept.end() ? std::nullopt : std::optional(found->second.second);
  }

  std::map<std::pair<SecretOwner, std::string>, std::pair<SecretFacts, std::string>> kept;
  int writes = 0;
};

// One controller.
struct SecretSeat {
  SecretSeat(FaultyStore& store, const std::string& name, char key_of = 'k')
      : key(store, StoreKeys("test"), name, Duration::Seconds(2)),
        secrets(store, StoreKeys("test"), own, std::string(kSealKeyBytes, key_of)) {}
  Status Lead() {
    EXPECT_EQ(key.TryTake(), Result<bool>(true));
    return secrets.Lead(key.term(), brings, [](int tries) { return tries < 3; });
  }
  Status Set(const std::string& name, const std::string& value, int64_t at = 1) {
    return secrets.Set({OfUser("ada"), name, Instant{at}, "ada"}, value);
  }
  std::optional<std::string> Of(const std::string& name) { return own.Find(name, "ada", ""); }

  KeptHere own;
  bool brings = true;
  LeaderKey key;
  SharedSecrets secrets;
};

struct SharedSecretsTest : testing::Test {
  FaultyStore store;
  SecretSeat first{store, "first"};
  SecretSeat second{store, "second"};
};

TEST_F(SharedSecretsTest, AStandbyHasWhatTheLeaderSets) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  EXPECT_EQ(first.Of("TOKEN"), "one");
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), "one");
  ASSERT_TRUE(first.Set("TOKEN", "two", 2));
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), "two");
  EXPECT_EQ(second.own.List().front().changed_at, Instant{2});
  ASSERT_TRUE(first.secrets.Delete(OfUser("ada"), "TOKEN"));
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), std::nullopt);
}

TEST_F(SharedSecretsTest, TheFirstLeaderBringsItsOwnAndOthersDoNot) {
  for (const char* name : {"A", "B", "C"})
    ASSERT_TRUE(first.own.Set({OfUser("ada"), name, Instant{1}, "ada"}, name));
  ASSERT_TRUE(second.own.Set({OfUser("ada"), "OLD", Instant{1}, "ada"}, "old"));
  ASSERT_TRUE(first.Lead());
  first.key.Resign();
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(second.Of("C"), "C");
  EXPECT_EQ(second.Of("OLD"), std::nullopt) << "it was deleted while this controller was away";
}

TEST_F(SharedSecretsTest, ABringingThatWasCutBeginsAgain) {
  ASSERT_TRUE(first.own.Set({OfUser("ada"), "A", Instant{1}, "ada"}, std::string(600 << 10, 'x')));
  ASSERT_TRUE(first.own.Set({OfUser("ada"), "B", Instant{1}, "ada"}, "b"));
  using Fault = FaultyStore::Fault;
  store.faults = {Fault::kNone, Fault::kNone, Fault::kNone,
                  Fault::kLost, Fault::kLost, Fault::kLost};
  EXPECT_EQ(first.Lead().error().code, ErrorCode::kUnavailable);
  first.key.Resign();
  ASSERT_TRUE(second.Lead()) << "nobody has finished";
  EXPECT_THAT(second.own.List(), IsEmpty());
  ASSERT_TRUE(first.secrets.Follow());
  EXPECT_THAT(first.own.List(), IsEmpty()) << "as the store has it";
}

TEST_F(SharedSecretsTest, ATryThatArrivesLateUndoesNothing) {
  ASSERT_TRUE(first.own.Set({OfUser("ada"), "OLD", Instant{1}, "ada"}, "kept"));
  using Fault = FaultyStore::Fault;
  // The deletion that begins the bringing, and each of the changes, arrive once more at the end.
  store.faults = {Fault::kNone, Fault::kLate, Fault::kNone, Fault::kNone,
                  Fault::kLate, Fault::kNone, Fault::kLate, Fault::kNone};
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  ASSERT_TRUE(first.Set("TOKEN", "two", 2));
  ASSERT_EQ(store.late.size(), 3U);
  ASSERT_TRUE(first.secrets.Delete(OfUser("ada"), "TOKEN"));
  store.Arrive();
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), std::nullopt);
  EXPECT_EQ(second.Of("OLD"), "kept");
  EXPECT_TRUE(first.Set("TOKEN", "three", 3)) << "the leader goes on";
}

TEST_F(SharedSecretsTest, OneMadeFromABackupBringsNothing) {
  second.brings = false;
  ASSERT_TRUE(second.Lead());
  ASSERT_TRUE(first.own.Set({OfUser("ada"), "OLD", Instant{1}, "ada"}, "kept"));
  ASSERT_TRUE(first.secrets.Follow());
  EXPECT_EQ(first.Of("OLD"), "kept") << "backups have no secrets: nobody has brought any";
}

TEST_F(SharedSecretsTest, AChangeWithinTheLimitsIsFollowedInAnyOrder) {
  ASSERT_TRUE(first.Lead());
  for (const char* name : {"A", "B", "C", "D", "E"}) ASSERT_TRUE(first.Set(name, "x"));
  ASSERT_TRUE(second.secrets.Follow());
  for (const char* name : {"A", "B", "C", "D", "E"})
    ASSERT_TRUE(first.secrets.Delete(OfUser("ada"), name));
  for (const char* name : {"F", "G", "H", "I", "J"}) ASSERT_TRUE(first.Set(name, "x"));
  const Status followed = second.secrets.Follow();
  EXPECT_TRUE(followed) << followed.error().message;
  EXPECT_EQ(second.own.List().size(), 5U);
}

TEST_F(SharedSecretsTest, TheStoreShowsNoSecretAndNoName) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("DB_PASSWORD", "hunter-2-hunter"));
  const auto all = store.sound.Read(KeysUnder("/"), 100);
  ASSERT_TRUE(all && all->entries.size() >= 2);
  for (const StoreEntry& entry : all->entries) {
    EXPECT_THAT(entry.key, Not(HasSubstr("DB_PASSWORD")));
    EXPECT_THAT(entry.value, Not(HasSubstr("DB_PASSWORD")));
    EXPECT_THAT(entry.value, Not(HasSubstr("hunter")));
    EXPECT_THAT(entry.value, Not(HasSubstr("ada")));
  }
}

TEST_F(SharedSecretsTest, WithAnotherAuthorityNothingIsRead) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  SecretSeat stranger(store, "stranger", 'j');
  const Status followed = stranger.secrets.Follow();
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().code, ErrorCode::kInternal);
  EXPECT_THAT(followed.error().message, HasSubstr("authority.pem"));
}

TEST_F(SharedSecretsTest, WithoutNewsNothingIsWritten) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  ASSERT_TRUE(second.secrets.Follow());
  const int writes = second.own.writes;
  ASSERT_TRUE(second.secrets.Follow());
  ASSERT_TRUE(first.Set("OTHER", "one"));
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.own.writes, writes + 1) << "what is the same is not written again";
}

TEST_F(SharedSecretsTest, ALostAnswerIsAskedForAgain) {
  ASSERT_TRUE(first.Lead());
  store.faults = {FaultyStore::Fault::kAnswerLost, FaultyStore::Fault::kLost};
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), "one");
}

TEST_F(SharedSecretsTest, WhatTheStoreDoesNotTakeIsNotSet) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  using Fault = FaultyStore::Fault;
  store.faults = {Fault::kLost, Fault::kLost, Fault::kLost};
  const Status set = first.Set("TOKEN", "two", 2);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(set.error().message, HasSubstr("changed or not"));
  EXPECT_EQ(first.Of("TOKEN"), "one");
  store.faults = {Fault::kLost, Fault::kLost, Fault::kLost};
  EXPECT_FALSE(first.Set("NEW", "x"));
  EXPECT_EQ(first.Of("NEW"), std::nullopt);
  store.faults = {Fault::kLost, Fault::kLost, Fault::kLost};
  EXPECT_FALSE(first.secrets.Delete(OfUser("ada"), "TOKEN"));
  EXPECT_EQ(first.Of("TOKEN"), "one");
}

TEST_F(SharedSecretsTest, ADeposedLeaderChangesNothing) {
  ASSERT_TRUE(first.Lead());
  ASSERT_TRUE(first.Set("TOKEN", "one"));
  // The lease of the first ends without its knowing.
  ASSERT_TRUE(store.sound.Commit({{}, {}, {{StoreKeys("test").Leader(), ""}}}).end ==
              CommitEnd::kCommitted);
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(first.Set("TOKEN", "two", 2).error().code, ErrorCode::kConflict);
  EXPECT_EQ(first.Of("TOKEN"), "one");
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.Of("TOKEN"), "one");
}

TEST_F(SharedSecretsTest, TheLimitsOfTheKeeperHold) {
  ASSERT_TRUE(first.Lead());
  for (const char* name : {"A", "B", "C", "D", "E"}) ASSERT_TRUE(first.Set(name, "x"));
  EXPECT_EQ(first.Set("F", "x").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(second.secrets.Follow());
  EXPECT_EQ(second.own.List().size(), 5U);
}

}  // namespace
}  // namespace gp
