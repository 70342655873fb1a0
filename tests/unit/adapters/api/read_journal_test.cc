// A journal in pages, as copies of it are made.

#include <gtest/gtest.h>

#include "adapters/inbound/api/api.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "infrastructure/system_clock.h"
#include "tests/support/append_to.h"

namespace gp {
namespace {

// Its reader sees that one record is damaged.
class DamagedJournal : public MemoryJournal {
 public:
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override {
    return MemoryJournal::ReadAfter(sequence, [&](uint64_t number, std::string_view bytes) {
      return number == damaged ? Fail(Internal("record is damaged")) : visit(number, bytes);
    });
  }
  uint64_t damaged = 0;
};

class ReadJournalTest : public testing::Test {
 protected:
  ReadJournalTest() {
    ControlOptions options;
    options.by_hand = true;
    loop_ = *ControlLoop::Open(own_, clock_, options);
    nodes_ = std::make_unique<NodeConnections>(*loop_);
    ControlApi::About about{"test", {}, nullptr, &journal_, "/var/lib/x"};
    api_ = std::make_unique<Api>(*loop_, *nodes_, about);
  }

  Result<v1::ReadJournalReply> Read(int64_t after, int64_t base_offset = 0) {
    v1::ReadJournalRequest request;
    request.set_after(after);
    request.set_base_offset(base_offset);
    v1::ReadJournalReply reply;
    GP_CHECK_OK(api_->control.ReadJournal(Caller{}, request, &reply));
    return reply;
  }
  void Append(size_t records, size_t bytes) {
    const std::vector<std::string> some(records, std::string(bytes, 'x'));
    ASSERT_TRUE(AppendTo(journal_, some));
  }

  SystemClock clock_;
  MemoryJournal own_;  // of the loop
  DamagedJournal journal_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<NodeConnections> nodes_;
  std::unique_ptr<Api> api_;
};

TEST_F(ReadJournalTest, GivesWhatComesAfter) {
  EXPECT_EQ(Read(0)->last(), 0);
  EXPECT_EQ(Read(0)->records_size(), 0);
  Append(5, 10);
  const auto rest = Read(3);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->first(), 4);
  EXPECT_EQ(rest->records_size(), 2);
  EXPECT_EQ(rest->last(), 5);
  EXPECT_EQ(rest->state_directory(), "/var/lib/x");
  EXPECT_EQ(Read(5)->records_size(), 0);
  EXPECT_EQ(Read(6).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Read(-1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Read(INT64_MAX).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ReadJournalTest, GivesAPageAtATimeAndAtLeastOneRecord) {
  Append(30, 100 << 10);
  EXPECT_EQ(Read(0)->records_size(), 11);
  EXPECT_EQ(Read(25)->records_size(), 5);
  Append(1, 5 << 20);
  EXPECT_EQ(Read(30)->records_size(), 1);
}

TEST_F(ReadJournalTest, GivesASnapshotInPlaceOfWhatIsDamaged) {
  Append(10, 10);
  journal_.damaged = 4;
  EXPECT_EQ(Read(0)->records_size(), 3) << "what is sound before it";
  EXPECT_EQ(Read(3).error().message, "record is damaged");
  ASSERT_TRUE(journal_.SaveSnapshot({6, "state"}));
  const auto page = Read(3);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->records_size(), 0);
  EXPECT_EQ(page->base().sequence(), 6);
  EXPECT_EQ(page->base().state(), "state");
  EXPECT_EQ(Read(6)->records_size(), 4);
}

TEST_F(ReadJournalTest, BeginsBehindTheOldestSnapshotWhereRecordsWereDropped) {
  Append(10, 10);
  for (const uint64_t sequence : {4, 8})
    ASSERT_TRUE(journal_.SaveSnapshot({sequence, "state " + std::to_string(sequence)}));
  ASSERT_TRUE(journal_.BeginWith(4));
  const auto page = Read(0);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->records_size(), 0);
  EXPECT_EQ(page->base().sequence(), 4)
      << "all that there is goes into a copy, not what is behind the newest one";
  EXPECT_EQ(page->base().state(), "state 4");
  EXPECT_EQ(Read(4)->records_size(), 6);
}

TEST_F(ReadJournalTest, GivesALargeSnapshotInPieces) {
  Append(4, 10);
  std::string state(20 << 20, 'x');
  state.back() = 'y';
  ASSERT_TRUE(journal_.SaveSnapshot({3, state}));
  ASSERT_TRUE(journal_.BeginWith(3));
  ASSERT_FALSE(*journal_.Sweep());
  const auto first = Read(0);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->base().bytes(), 20 << 20);
  EXPECT_EQ(first->base().state().size(), size_t{16 << 20});
  const auto second = Read(0, 16 << 20);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(first->base().state() + second->base().state(), state);
  EXPECT_EQ(Read(0, (20 << 20) + 1)->base().sequence(), 3)
      << "and nothing of it: whoever asks has pieces of another";
  EXPECT_EQ(Read(0, -1).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gp
