// What a store does when members of its etcd die or hang.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

#include "tests/integration/etcd/etcd_cluster.h"

namespace gp {
namespace {

using testing::HasSubstr;

Duration TimeOf(const std::function<void()>& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return {std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count()};
}

// About three times the calls' own limits, for a busy machine.
constexpr Duration kCommitMax = Duration::Milliseconds(1'200);
constexpr Duration kReadMax = Duration::Milliseconds(3'000);

const StoreTransaction kPut{.puts = {{"/loss/a", "x"}}};

class EtcdMemberLoss : public testing::Test {
 protected:
  void SetUp() override {
    GP_NEED_ETCD();
    cluster_ = std::make_unique<EtcdCluster>(EtcdCluster::Settings{.members = 3});
    ASSERT_TRUE(cluster_->is_up());
    ASSERT_TRUE(cluster_->AwaitHealth());
  }

  enum class Loss { kKilled, kHung };
  void Lose(size_t member, Loss loss) {
    loss == Loss::kKilled ? cluster_->Kill(member) : cluster_->Hang(member);
  }

  // A store that asks this member, and has had its answer: after an unknown end it would ask
  // another.
  std::unique_ptr<EtcdStore> StoreAt(size_t member) const {
    std::unique_ptr<EtcdStore> store;
    EXPECT_TRUE(AwaitReal([&] {
      store = cluster_->Store(member);
      return store->Commit(kPut).end == CommitEnd::kCommitted;
    }));
    return store;
  }

  // The store asks the member that is lost.
  void ExpectToGoOn(size_t lost, Loss loss) {
    const auto store = StoreAt(lost);
    Lose(lost, loss);
    Committed first;
    EXPECT_LT(TimeOf([&] { first = store->Commit(kPut); }), kCommitMax);
    EXPECT_EQ(first.end, CommitEnd::kUnknown);
    EXPECT_THAT(first.why, HasSubstr("etcd at " + cluster_->endpoint(lost) + ": "));
    Duration longest;
    const Duration gap = TimeOf([&] {
      EXPECT_TRUE(AwaitReal([&] {
        Committed next;
        longest = std::max(longest, TimeOf([&] { next = store->Commit(kPut); }));
        return next.end == CommitEnd::kCommitted;
      }));
    });
    EXPECT_LT(longest, kCommitMax);
    RecordProperty("gap_ms", std::to_string(gap.ToMilliseconds()));
    RecordProperty("longest_call_ms", std::to_string(longest.ToMilliseconds()));
    // The members may still elect.
    size_t entries = 0;
    EXPECT_TRUE(AwaitReal([&] {
      const auto read = store->Read({"/loss/a", ""}, 1);
      entries = read ? read->entries.size() : 0;
      return read.has_value();
    }));
    EXPECT_EQ(entries, 1U);
  }

  std::unique_ptr<EtcdCluster> cluster_;
};

// Whichever member the store asks for everything else.
TEST_F(EtcdMemberLoss, EachMemberTellsOfItself) {
  const auto store = StoreAt(1);
  const auto well = store->Members();
  ASSERT_EQ(well.size(), 3U);
  EXPECT_EQ(std::ranges::count(well, true, &StoreMember::leads), 1);
  for (const StoreMember& member : well) {
    EXPECT_EQ(member.trouble, "") << member.endpoint;
    EXPECT_THAT(member.version, HasSubstr("3."));
    EXPECT_GT(member.bytes, 0U);
  }
  EXPECT_EQ(well[0].endpoint, cluster_->endpoint(1));
  cluster_->Kill(0);
  cluster_->Hang(2);
  const auto seen = store->Members();
  ASSERT_EQ(seen.size(), 3U);
  for (const StoreMember& member : seen)
    if (member.endpoint != cluster_->endpoint(1)) {
      EXPECT_NE(member.trouble, "") << member.endpoint;
      EXPECT_EQ(member.version, "");
    }
  // Without a majority it does not know its leader after its election timeout.
  EXPECT_TRUE(AwaitReal([&] { return store->Members().at(0).trouble.contains("no leader"); }));
  cluster_->Wake(2);
}

TEST_F(EtcdMemberLoss, CommitsGoOnWhenTheLeaderHangs) {
  ExpectToGoOn(cluster_->Leader(), Loss::kHung);
}
TEST_F(EtcdMemberLoss, CommitsGoOnWhenTheLeaderIsKilled) {
  ExpectToGoOn(cluster_->Leader(), Loss::kKilled);
}
TEST_F(EtcdMemberLoss, CommitsGoOnWhenAFollowerHangs) {
  ExpectToGoOn((cluster_->Leader() + 1) % 3, Loss::kHung);
}
TEST_F(EtcdMemberLoss, CommitsGoOnWhenAFollowerIsKilled) {
  ExpectToGoOn((cluster_->Leader() + 1) % 3, Loss::kKilled);
}

TEST_F(EtcdMemberLoss, OneReadIsEnoughWhenAFollowerHangs) {
  const size_t hung = (cluster_->Leader() + 1) % 3;
  const auto store = cluster_->Store(hung);
  cluster_->Hang(hung);
  const auto read = store->Read({"/health", ""}, 1);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->entries.size(), 1U);
}

TEST_F(EtcdMemberLoss, AMemberThatIsBackIsAskedAgain) {
  EtcdOptions options = cluster_->Options(0);
  options.endpoints.resize(1);
  const auto store = std::move(*EtcdStore::Open(options));
  cluster_->Kill(0);
  EXPECT_EQ(store->Commit(kPut).end, CommitEnd::kUnknown);
  cluster_->Start(0);
  EXPECT_TRUE(AwaitReal([&] { return store->Commit(kPut).end == CommitEnd::kCommitted; }));
}

TEST_F(EtcdMemberLoss, WithoutAMajorityNothingIsReadOrCommitted) {
  const size_t left = cluster_->Leader();
  const auto store = StoreAt(left);
  const auto before = store->Read({"/loss/a", ""}, 1);
  ASSERT_TRUE(before && before->entries.size() == 1);
  const auto lease = store->GrantLease(Duration::Seconds(60));
  ASSERT_TRUE(lease);
  for (size_t member = 0; member < 3; ++member)
    if (member != left) cluster_->Kill(member);
  // Each call asks the one that is left first: it would answer alone what needs no majority.
  const auto lonely = [&] { return cluster_->Store(left); };
  Result<StoreRead> read;
  EXPECT_LT(TimeOf([&] { read = lonely()->Read({"/loss/a", ""}, 1); }), kReadMax);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
  for (size_t member = 0; member < 3; ++member)
    EXPECT_THAT(read.error().message, HasSubstr(cluster_->endpoint(member)));
  const StoreCondition holds{"/loss/a", StoreCondition::Of::kModified, before->entries[0].modified};
  const StoreCondition does_not{"/loss/a", StoreCondition::Of::kModified, 1};
  EXPECT_EQ(lonely()->Commit({.conditions = {holds}}).end, CommitEnd::kUnknown);
  EXPECT_EQ(lonely()->Commit({.conditions = {does_not}}).end, CommitEnd::kUnknown);
  EXPECT_EQ(lonely()->Commit(kPut).end, CommitEnd::kUnknown);
  EXPECT_FALSE(lonely()->GrantLease(Duration::Seconds(1)));
  EXPECT_FALSE(lonely()->EndLease(lease->id));
}

// Whichever way the watched member is lost, later changes are hinted at.
TEST_F(EtcdMemberLoss, AWatchGoesOnAtAnotherMember) {
  for (const Loss loss : {Loss::kHung, Loss::kKilled}) {
    const size_t lost = (cluster_->Leader() + 1) % 3;
    std::atomic<int> hints = 0;
    const auto watch = cluster_->Store(lost)->Watch(KeysUnder("/loss/"), [&hints] { ++hints; });
    ASSERT_TRUE(AwaitReal([&] { return hints > 0; }));
    const int before = hints;
    Lose(lost, loss);
    // Long before gRPC itself ends a silent connection, after twelve seconds.
    EXPECT_TRUE(AwaitReal([&] { return hints > before; }, Duration::Seconds(8)));
    const int reopened = hints;
    const auto store = cluster_->Store((lost + 1) % 3);
    EXPECT_TRUE(AwaitReal([&] { return store->Commit(kPut).end == CommitEnd::kCommitted; }));
    EXPECT_TRUE(AwaitReal([&] { return hints > reopened; }));
    if (loss == Loss::kKilled) continue;
    cluster_->Wake(lost);
    ASSERT_TRUE(cluster_->AwaitHealth());
  }
}

// Its member misses changes that the others have forgotten when it is back.
TEST_F(EtcdMemberLoss, AWatchGoesOnBeyondACompaction) {
  const size_t lost = (cluster_->Leader() + 1) % 3;
  EtcdOptions options = cluster_->Options(lost);
  options.endpoints.resize(1);
  std::atomic<int> hints = 0;
  const auto watch = (*EtcdStore::Open(options))->Watch(KeysUnder("/loss/"), [&hints] { ++hints; });
  ASSERT_TRUE(AwaitReal([&] { return hints > 0; }));
  const int before = hints;
  cluster_->Kill(lost);
  const auto store = StoreAt((lost + 1) % 3);
  for (int i = 0; i < 100; ++i) {
    const Committed end = store->Commit(kPut);
    if (end.end != CommitEnd::kCommitted) continue;
    EXPECT_TRUE(store->Forget(end.revision));
  }
  cluster_->Start(lost);
  EXPECT_TRUE(AwaitReal([&] { return hints > before; }));
  const int reopened = hints;
  EXPECT_TRUE(AwaitReal([&] { return store->Commit(kPut).end == CommitEnd::kCommitted; }));
  EXPECT_TRUE(AwaitReal([&] { return hints > reopened; }));
}

TEST_F(EtcdMemberLoss, AWatchOfNothingEndsAtOnce) {
  const auto store = cluster_->Store();
  for (size_t member = 0; member < 3; ++member) cluster_->Hang(member);
  const Duration time = TimeOf([&] { store->Watch(KeysUnder("/loss/"), [] {}).reset(); });
  EXPECT_LT(time, kCommitMax);
}

TEST_F(EtcdMemberLoss, ATransactionBeyondEtcdsLimitIsNotCommitted) {
  const auto store = cluster_->Store();
  for (const size_t bytes : {1'700'000U, 3'000'000U}) {
    const Committed end = store->Commit({.puts = {{"/loss/large", std::string(bytes, 'x')}}});
    EXPECT_EQ(end.end, CommitEnd::kUnknown);
    EXPECT_THAT(end.why, HasSubstr("send less at a time"));
  }
  const auto read = store->Read({"/loss/large", ""}, 1);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->entries.empty());
}

}  // namespace
}  // namespace gp
