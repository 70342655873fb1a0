#pragma once

// What every QuorumStore must do, real or virtual.  A test names its stores:
//
//   INSTANTIATE_TEST_SUITE_P(Etcd, QuorumStoreContract, testing::Values(&MakeMyStore));

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/outbound/quorum_store.h"

namespace gp {

// A store whose machines are all well, and its time.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  // Two clients of one store, which ask different machines of it if there are several.
  virtual QuorumStore& first() = 0;
  virtual QuorumStore& second() = 0;
  // Lets time pass until it holds.  False: it did not within `time_max`.
  virtual bool Await(const std::function<bool()>& holds, Duration time_max) = 0;
};
// nullptr: there is no such store on this machine; the test is skipped, in CI it fails.
using MakeStoreUnderTest = std::unique_ptr<StoreUnderTest> (*)();

// Only keys under "/contract/" are used, and removed before each case.
class QuorumStoreContract : public testing::TestWithParam<MakeStoreUnderTest> {
 protected:
  void SetUp() override {
    made_ = GetParam()();
    if (made_ == nullptr) {
      const char* ci = std::getenv("CI");
      ASSERT_TRUE(ci == nullptr || std::string_view(ci) != "true") << "CI needs this store";
      GTEST_SKIP() << "this machine does not have this store";
    }
    ASSERT_EQ(Commit({.deletions = {All()}}).end, CommitEnd::kCommitted);
  }

  QuorumStore& store() { return made_->first(); }
  QuorumStore& other() { return made_->second(); }
  bool Await(const std::function<bool()>& holds, Duration time_max = Duration::Seconds(20)) {
    return made_->Await(holds, time_max);
  }

  static std::string Key(const std::string& name) { return "/contract/" + name; }
  static KeyRange One(const std::string& name) { return {Key(name), ""}; }
  static KeyRange All() { return KeysUnder("/contract/"); }

  Committed Commit(const StoreTransaction& transaction) {
    Committed end = store().Commit(transaction);
    EXPECT_EQ(end.why.empty(), end.end == CommitEnd::kCommitted) << end.why;
    return end;
  }
  // The revision of the put.
  uint64_t Put(const std::string& name, const std::string& value, uint64_t lease = 0) {
    const Committed end = Commit({.puts = {{Key(name), value, lease}}});
    EXPECT_EQ(end.end, CommitEnd::kCommitted) << end.why;
    return end.revision;
  }
  StoreRead Read(const KeyRange& range, size_t max = 1'000) {
    const auto read = store().Read(range, max);
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    return read.value_or(StoreRead{});
  }
  // "a=1 b=2"
  std::string Text(const KeyRange& range = All(), size_t max = 1'000) {
    std::string text;
    for (const StoreEntry& entry : Read(range, max).entries)
      text += (text.empty() ? "" : " ") + entry.key.substr(Key("").size()) + "=" + entry.value;
    return text;
  }
  CommitEnd PutIf(const StoreCondition& condition, const std::string& name,
                  const std::string& value) {
    return Commit({.conditions = {condition}, .puts = {{Key(name), value}}}).end;
  }
  StoreLease Grant(Duration wanted) {
    const auto lease = store().GrantLease(wanted);
    EXPECT_TRUE(lease) << (lease ? "" : lease.error().message);
    return lease.value_or(StoreLease{});
  }
  bool Keep(uint64_t lease) {
    const auto kept = store().KeepLease(lease);
    EXPECT_TRUE(kept) << (kept ? "" : kept.error().message);
    return kept.value_or(false);
  }
  void End(uint64_t lease) {
    const Status ended = store().EndLease(lease);
    EXPECT_TRUE(ended) << (ended ? "" : ended.error().message);
  }

 private:
  std::unique_ptr<StoreUnderTest> made_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(QuorumStoreContract);

TEST_P(QuorumStoreContract, AKeyHasTheRevisionsOfItsFirstAndItsNewestPut) {
  const uint64_t first = Put("a", "1");
  EXPECT_THAT(Read(One("a")).entries,
              testing::ElementsAre(StoreEntry{Key("a"), "1", first, first}));
  const uint64_t second = Put("a", "2");
  EXPECT_GT(second, first);
  EXPECT_THAT(Read(One("a")).entries,
              testing::ElementsAre(StoreEntry{Key("a"), "2", first, second}));
  Commit({.deletions = {One("a")}});
  EXPECT_TRUE(Read(One("a")).entries.empty());
  const uint64_t third = Put("a", "3");
  EXPECT_THAT(Read(One("a")).entries,
              testing::ElementsAre(StoreEntry{Key("a"), "3", third, third}));
}

TEST_P(QuorumStoreContract, RevisionsAreOfTheWholeStore) {
  const uint64_t first = Put("a", "1");
  const uint64_t second = Put("b", "1");
  EXPECT_GT(second, first);
  EXPECT_GT(Put("a", "2"), second);
}

TEST_P(QuorumStoreContract, RevisionNoughtIsOfAKeyThatDoesNotExist) {
  using enum StoreCondition::Of;
  for (const auto of : {kCreated, kModified}) {
    const std::string name = of == kCreated ? "created" : "modified";
    EXPECT_EQ(PutIf({Key(name), of, 0}, name, "1"), CommitEnd::kCommitted);
    EXPECT_EQ(PutIf({Key(name), of, 0}, name, "2"), CommitEnd::kRefused);
    EXPECT_EQ(Text(One(name)), name + "=1");
    Commit({.deletions = {One(name)}});
    EXPECT_EQ(PutIf({Key(name), of, 0}, name, "3"), CommitEnd::kCommitted);
  }
}

TEST_P(QuorumStoreContract, ConditionsComparePreciselyOneRevision) {
  using enum StoreCondition::Of;
  const uint64_t created = Put("a", "1");
  const uint64_t modified = Put("a", "2");
  EXPECT_EQ(PutIf({Key("a"), kCreated, created}, "b", "1"), CommitEnd::kCommitted);
  EXPECT_EQ(PutIf({Key("a"), kModified, modified}, "b", "2"), CommitEnd::kCommitted);
  EXPECT_EQ(PutIf({Key("a"), kCreated, modified}, "b", "3"), CommitEnd::kRefused);
  EXPECT_EQ(PutIf({Key("a"), kModified, created}, "b", "4"), CommitEnd::kRefused);
  EXPECT_EQ(PutIf({Key("a"), kModified, modified + 1}, "b", "5"), CommitEnd::kRefused);
  EXPECT_EQ(PutIf({Key("none"), kModified, modified}, "b", "6"), CommitEnd::kRefused);
  EXPECT_EQ(Text(), "a=2 b=2");
}

TEST_P(QuorumStoreContract, ARefusedTransactionChangesNothing) {
  const uint64_t revision = Put("a", "1");
  Put("b", "1");
  const StoreRead before = Read(All());
  const Committed end = Commit({.conditions = {{Key("a"), StoreCondition::Of::kCreated, revision},
                                               {Key("b"), StoreCondition::Of::kCreated, revision}},
                                .puts = {{Key("a"), "2"}, {Key("c"), "2"}},
                                .deletions = {One("b")}});
  EXPECT_EQ(end.end, CommitEnd::kRefused);
  EXPECT_EQ(Read(All()).entries, before.entries);
}

TEST_P(QuorumStoreContract, PutsAndDeletionsAreOneChange) {
  Put("a", "1");
  for (const char* name : {"gone/1", "gone/2", "gonf"}) Put(name, "1");
  const Committed end = Commit({.puts = {{Key("a"), "2"}, {Key("b"), "2"}, {Key("c"), "2"}},
                                .deletions = {KeysUnder(Key("gone/")), One("none")}});
  ASSERT_EQ(end.end, CommitEnd::kCommitted) << end.why;
  EXPECT_EQ(Text(), "a=2 b=2 c=2 gonf=1");
  for (const StoreEntry& entry : Read({Key("a"), Key("d")}).entries)
    EXPECT_EQ(entry.modified, end.revision) << entry.key;
}

TEST_P(QuorumStoreContract, ConditionsAloneAreATransaction) {
  const uint64_t revision = Put("a", "1");
  const StoreCondition holds{Key("a"), StoreCondition::Of::kModified, revision};
  EXPECT_EQ(Commit({.conditions = {holds}}).end, CommitEnd::kCommitted);
  Put("a", "2");
  EXPECT_EQ(Commit({.conditions = {holds}}).end, CommitEnd::kRefused);
}

TEST_P(QuorumStoreContract, KeysAreReadInTheOrderOfTheirBytes) {
  const std::string nought("n\0", 2);
  for (const std::string& name : {std::string("n\xff"), std::string("n"), nought, std::string("m"),
                                  std::string("n1"), std::string("n/")})
    Put(name, "v");
  EXPECT_EQ(Text(), "m=v n=v " + nought + "=v n/=v n1=v n\xff=v");
  EXPECT_EQ(Text(One("n")), "n=v");
  EXPECT_EQ(Text({Key("n"), Key("n1")}), "n=v " + nought + "=v n/=v");
}

TEST_P(QuorumStoreContract, AReadSaysWhetherItsLimitLeftSomeOff) {
  for (const char* name : {"c", "a", "b"}) Put(name, "1");
  EXPECT_EQ(Text(All(), 2), "a=1 b=1");
  EXPECT_TRUE(Read(All(), 2).has_more);
  EXPECT_FALSE(Read(All(), 3).has_more);
  EXPECT_FALSE(Read(All(), 4).has_more);
  EXPECT_FALSE(Read(One("none"), 1).has_more);
  EXPECT_TRUE(Read(All(), 0).entries.empty());
  EXPECT_TRUE(Read(All(), 0).has_more);
}

TEST_P(QuorumStoreContract, ACommittedPutIsSeenByEveryClient) {
  for (int i = 0; i < 50; ++i) {
    const std::string value = std::to_string(i);
    Put("a", value);
    const auto read = other().Read(One("a"), 1);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->entries.size(), 1U);
    ASSERT_EQ(read->entries[0].value, value);
  }
}

TEST_P(QuorumStoreContract, ValuesAreAnyBytesUpToAMebibyte) {
  std::string large(1 << 20, '\0');
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 % 256);
  Put("large", large);
  Put("empty", "");
  const StoreRead read = Read(All());
  ASSERT_EQ(read.entries.size(), 2U);
  EXPECT_TRUE(read.entries[0].value.empty());
  EXPECT_TRUE(read.entries[1].value == large);
}

TEST_P(QuorumStoreContract, AKeyIsDeletedWhenItsLeaseEndsByItself) {
  const StoreLease lease = Grant(Duration::Milliseconds(900));
  EXPECT_GE(lease.granted, Duration::Milliseconds(900));
  Put("kept", "1");
  Put("leased", "1", lease.id);
  EXPECT_EQ(Text(), "kept=1 leased=1");
  EXPECT_TRUE(Await([&] { return Text() == "kept=1"; }, lease.granted + Duration::Seconds(5)));
  EXPECT_FALSE(Keep(lease.id));
}

TEST_P(QuorumStoreContract, AKeptLeaseHolds) {
  const StoreLease lease = Grant(Duration::Seconds(2));
  Put("leased", "1", lease.id);
  bool is_there = true;
  for (int i = 0; i < 8; ++i) {
    Await([] { return false; }, {lease.granted.ns / 4});
    is_there = is_there && Keep(lease.id) && Text() == "leased=1";
  }
  EXPECT_TRUE(is_there);
  EXPECT_TRUE(Await([&] { return Text().empty(); }, lease.granted + Duration::Seconds(5)));
}

TEST_P(QuorumStoreContract, ALeaseThatIsEndedTakesItsKeysAtOnce) {
  const StoreLease lease = Grant(Duration::Seconds(60));
  const StoreLease longer = Grant(Duration::Seconds(60));
  EXPECT_NE(lease.id, longer.id);
  Put("a", "1", lease.id);
  Put("b", "1", lease.id);
  Put("c", "1", longer.id);
  End(lease.id);
  EXPECT_EQ(Text(), "c=1");
  EXPECT_FALSE(Keep(lease.id));
  EXPECT_TRUE(Keep(longer.id));
  End(lease.id);  // it has ended, which is what was asked for
  End(longer.id);
  EXPECT_EQ(Text(), "");
}

TEST_P(QuorumStoreContract, ANewPutDecidesWhatLeaseAKeyHas) {
  const StoreLease lease = Grant(Duration::Seconds(60));
  Put("a", "1", lease.id);
  Put("a", "2");
  Put("b", "1");
  Put("b", "2", lease.id);
  End(lease.id);
  EXPECT_EQ(Text(), "a=2");
}

TEST_P(QuorumStoreContract, APutWithALeaseThatHasEndedIsNotCarriedOut) {
  const StoreLease lease = Grant(Duration::Seconds(60));
  End(lease.id);
  const Committed end = Commit({.puts = {{Key("a"), "1"}, {Key("b"), "1", lease.id}}});
  EXPECT_NE(end.end, CommitEnd::kCommitted);
  EXPECT_EQ(Text(), "");
}

TEST_P(QuorumStoreContract, ALeaseThatNeverWasHasEnded) {
  EXPECT_FALSE(Keep(4'711));
  End(4'711);
}

TEST_P(QuorumStoreContract, AWatchHintsAtEachKindOfChange) {
  std::atomic<int> hints = 0;
  const auto watch = store().Watch(KeysUnder(Key("w/")), [&hints] { ++hints; });
  EXPECT_TRUE(Await([&] { return hints > 0; })) << "no hint when it begins";
  const auto hints_after = [&](const std::function<void()>& change) {
    const int before = hints;
    change();
    return Await([&] { return hints > before; });
  };
  EXPECT_TRUE(hints_after([&] { Put("w/a", "1"); }));
  EXPECT_TRUE(hints_after([&] { Put("w/a", "2"); }));
  EXPECT_TRUE(hints_after([&] { Commit({.deletions = {One("w/a")}}); }));
  const StoreLease lease = Grant(Duration::Seconds(60));
  EXPECT_TRUE(hints_after([&] { Put("w/b", "1", lease.id); }));
  EXPECT_TRUE(hints_after([&] { End(lease.id); }));
}

TEST_P(QuorumStoreContract, AWatchThatIsDestroyedIsSilent) {
  std::atomic<int> hints = 0;
  auto watch = store().Watch(All(), [&hints] { ++hints; });
  auto still = store().Watch(All(), [] {});
  EXPECT_TRUE(Await([&] { return hints > 0; }));
  watch.reset();
  const int before = hints;
  Put("a", "1");
  Await([] { return false; }, Duration::Milliseconds(200));
  EXPECT_EQ(hints, before);
}

TEST_P(QuorumStoreContract, WhatKeysAreStaysWhenWhatTheyWereIsForgotten) {
  const uint64_t first = Put("a", "1");
  Put("a", "2");
  Put("b", "1");
  const uint64_t last = Put("b", "2");
  const StoreRead before = Read(All());
  for (const uint64_t revision : {first, last, last, first}) {
    const Status forgotten = store().Forget(revision);
    EXPECT_TRUE(forgotten) << (forgotten ? "" : forgotten.error().message);
  }
  EXPECT_EQ(Read(All()).entries, before.entries);
  EXPECT_EQ(PutIf({Key("b"), StoreCondition::Of::kModified, last}, "b", "3"),
            CommitEnd::kCommitted);
  EXPECT_EQ(Text(), "a=2 b=3");
}

TEST_P(QuorumStoreContract, AWatchGoesOnWhenWhatWasIsForgotten) {
  std::atomic<int> hints = 0;
  const auto watch = store().Watch(KeysUnder(Key("w/")), [&hints] { ++hints; });
  EXPECT_TRUE(Await([&] { return hints > 0; }));
  for (int i = 0; i < 5; ++i) {
    const int before = hints;
    const uint64_t revision = Put("w/a", std::to_string(i));
    EXPECT_TRUE(other().Forget(revision));
    EXPECT_TRUE(Await([&] { return hints > before; }));
  }
}

TEST_P(QuorumStoreContract, ItsSpaceGrowsWithWhatIsWritten) {
  const auto used = [this] {
    const auto bytes = store().Bytes();
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes.value_or(StoreBytes{}).in_use;
  };
  const uint64_t before = used();
  for (int i = 0; i < 8; ++i) Put("large", std::string(1 << 20, 'x'));
  // Stores may write behind.
  EXPECT_TRUE(Await([&] { return used() > before + (1 << 19); }));
}

}  // namespace gp
