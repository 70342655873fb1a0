#include "application/replication/care/store_compactor.h"

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

class StoreCompactorTest : public testing::Test {
 protected:
  // The head's new revision.
  uint64_t Change() {
    const auto head = store.sound.Read({keys.Head(), ""}, 1);
    return store.sound.Commit({{}, {{keys.Head(), head->entries.front().value}}, {}}).revision;
  }
  void Pass(Duration by) {
    clock.Advance(by);
    ASSERT_TRUE(compactor.Turn());
  }

  FaultyStore store;
  ManualClock clock;
  const StoreKeys keys{"test"};
  SharedLog log{store, keys};
  NewChunks written;
  StoreCompactor compactor{store, keys, clock, written};
};

TEST_F(StoreCompactorTest, ForgetsWhatWasMoreThanAMinuteAgo) {
  ASSERT_TRUE(log.Create(0, 0));
  const uint64_t first = Change();
  Pass({});
  const uint64_t second = Change();
  Pass(Duration::Seconds(59));
  EXPECT_TRUE(store.forgotten.empty());
  Pass(Duration::Seconds(1));
  EXPECT_EQ(store.forgotten, std::vector<uint64_t>{first});
  Change();
  Pass(Duration::Seconds(59));
  Pass(Duration::Seconds(1));
  EXPECT_EQ(store.forgotten, (std::vector<uint64_t>{first, second}));
}

TEST_F(StoreCompactorTest, ForgetsSoonerWhenMuchIsWritten) {
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  ASSERT_TRUE(log.Create(0, 0));
  const uint64_t first = Change();
  Pass({});
  written.Note({1, 16 * kMiB}, 1);
  const uint64_t second = Change();
  Pass(Duration::Seconds(1));
  written.Note({2, 47 * kMiB}, 2);
  Pass(Duration::Seconds(1));
  EXPECT_TRUE(store.forgotten.empty());
  written.Note({3, kMiB}, 3);
  Pass(Duration::Seconds(1));
  EXPECT_EQ(store.forgotten, std::vector<uint64_t>{first});
  written.Note({4, 16 * kMiB}, 4);
  Pass(Duration::Seconds(1));
  EXPECT_EQ(store.forgotten, (std::vector<uint64_t>{first, second}));
}

TEST_F(StoreCompactorTest, TriesAgain) {
  ASSERT_TRUE(log.Create(0, 0));
  const uint64_t first = Change();
  Pass({});
  clock.Advance(Duration::Seconds(60));
  store.reads_fail = true;
  EXPECT_EQ(compactor.Turn().error().code, ErrorCode::kUnavailable);
  store.reads_fail = false;
  Pass(Duration::Seconds(1));
  EXPECT_EQ(store.forgotten, std::vector<uint64_t>{first});
}

TEST_F(StoreCompactorTest, WithoutALogNothingIsForgotten) {
  Pass({});
  Pass(Duration::Minutes(5));
  EXPECT_TRUE(store.forgotten.empty());
}

}  // namespace
}  // namespace gp
