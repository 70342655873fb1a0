#include "application/replication/care/store_care.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "adapters/outbound/memory/manual_clock.h"
#include "application/replication/lead/leader_key.h"
#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

class Silence : public OperatorLog {
 public:
  void Write(LogLevel, const std::string&) override {}
};

// A log that needs several steps, on a thread of its own.
TEST(StoreCareTest, TrimsUntilNothingIsLeftToDo) {
  FaultyStore store;
  ManualClock clock;
  Silence silence;
  const StoreKeys keys("test");
  SharedLog log(store, keys);
  LeaderKey key(store, keys, "first", Duration::Seconds(2));
  ASSERT_TRUE(log.Create(0, 0));
  ASSERT_EQ(key.TryTake(), Result<bool>(true));
  NewChunks written;
  LogWriter writer(log, key.term(), **log.Head(), {}, &written);
  for (int i = 0; i < 350; ++i)
    ASSERT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  Member member;
  member.name = "first";
  member.applied = 350;
  ASSERT_TRUE(MemberBoard(store, keys).Publish(member));
  store.bytes = StoreBytes{850, 850};
  LogTrimmer trimmer(store, keys, clock, key.term(), 0, written, {.keep_records = 10});
  StoreCompactor compactor(store, keys, clock, written);
  StoreSpace space(store, 1'000, silence);
  {
    const StoreCare care({trimmer, &compactor, space, written}, silence);
    const auto begun = std::chrono::steady_clock::now();
    // What comes last in a round.
    while (space.AcceptsJobs() &&
           std::chrono::steady_clock::now() - begun < std::chrono::seconds(20))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(space.AcceptsJobs());
  EXPECT_EQ(store.sound.Read(keys.Chunks(), 1'000)->entries.size(), 10u);
}

}  // namespace
}  // namespace gp
