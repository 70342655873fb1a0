#include "application/replication/members/cluster_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/memory/memory_quorum_store.h"
#include "application/replication/lead/leader_key.h"

namespace gp {
namespace {

using testing::HasSubstr;

struct ClusterIdentityTest : testing::Test {
  void SetUp() override { ASSERT_EQ(key.TryTake(), Result<bool>(true)); }

  MemoryQuorumStore store;
  const StoreKeys keys{"test"};
  LeaderKey key{store, keys, "first", Duration::Seconds(2)};
  const ClusterIdentity own{"fingerprint", "digest"};
};

TEST_F(ClusterIdentityTest, AClusterWithoutOneTakesAnybody) {
  EXPECT_TRUE(CheckIdentity(store, keys, own));
}

TEST_F(ClusterIdentityTest, OtherFilesAreNamed) {
  ASSERT_TRUE(ClaimIdentity(store, keys, own, key.term()));
  EXPECT_TRUE(CheckIdentity(store, keys, own));
  const Status other_authority = CheckIdentity(store, keys, {"other", "digest"});
  ASSERT_FALSE(other_authority);
  EXPECT_EQ(other_authority.error().code, ErrorCode::kConflict);
  EXPECT_THAT(other_authority.error().message, HasSubstr("authority.pem"));
  EXPECT_THAT(CheckIdentity(store, keys, {"fingerprint", "other"}).error().message,
              HasSubstr("join-token"));
}

TEST_F(ClusterIdentityTest, TheFirstClaimLasts) {
  ASSERT_TRUE(ClaimIdentity(store, keys, own, key.term()));
  ASSERT_TRUE(ClaimIdentity(store, keys, {"other", "other"}, key.term()));
  EXPECT_TRUE(CheckIdentity(store, keys, own));
}

TEST_F(ClusterIdentityTest, OnlyALeaderClaims) {
  ASSERT_TRUE(ClaimIdentity(store, keys, own, key.term() + 1));
  EXPECT_TRUE(CheckIdentity(store, keys, {"other", "other"})) << "there is none";
}

TEST_F(ClusterIdentityTest, DamageIsSaid) {
  ASSERT_EQ(store.Commit({{}, {{keys.Identity(), "x"}}, {}}).end, CommitEnd::kCommitted);
  EXPECT_EQ(CheckIdentity(store, keys, own).error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace gp
