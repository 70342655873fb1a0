#include "application/backup/copy_journal.h"

#include <gtest/gtest.h>

#include "adapters/outbound/memory/memory_journal.h"
#include "tests/support/append_to.h"

namespace gp {
namespace {

std::vector<std::string> All(Journal& journal) {
  std::vector<std::string> records;
  EXPECT_TRUE(journal.ReadAfter(0, [&](uint64_t, std::string_view bytes) {
    records.emplace_back(bytes);
    return Ok();
  }));
  return records;
}

// A journal that answers two records at a time, and two bytes of a snapshot, and may grow with each
// question.
struct Source {
  std::vector<std::string> records;
  std::vector<std::string> growth;
  uint64_t damaged = 0;  // its number; 0: none
  Snapshot snapshot;
  std::vector<uint64_t> asked;
  uint64_t dropped = 0;  // records

  Result<JournalPage> Page(uint64_t after, uint64_t base_offset) {
    asked.push_back(after);
    if (after > records.size()) return Fail(InvalidArgument("ends before"));
    JournalPage page{after + 1, {}, records.size(), std::nullopt, 0};
    const auto is_there = [&](uint64_t number) {
      return number > dropped && number <= records.size() && number != damaged;
    };
    for (uint64_t number = after + 1; is_there(number) && page.records.size() < 2; ++number)
      page.records.push_back(records[number - 1]);
    if (page.records.empty() && after < records.size()) {
      if (snapshot.sequence <= after)
        return Fail(Internal("record " + std::to_string(damaged) + " is damaged"));
      page.base = Snapshot{snapshot.sequence, snapshot.bytes.substr(base_offset, 2)};
      page.base_bytes = snapshot.bytes.size();
    }
    if (!growth.empty()) {
      records.push_back(growth.front());
      growth.erase(growth.begin());
    }
    return page;
  }
};

class CopyJournalTest : public testing::Test {
 protected:
  Result<JournalCopy> Copy(Source& source) {
    return CopyJournal(
        copy_, [&](uint64_t after, uint64_t offset) { return source.Page(after, offset); },
        [&](const Snapshot& snapshot) -> Status {
          went_on_after_ = snapshot.sequence;
          return Fail(Unavailable("far enough"));
        });
  }

  MemoryJournal copy_;
  uint64_t went_on_after_ = 0;
};

TEST_F(CopyJournalTest, HasAllThenOnlyWhatIsNew) {
  Source source{.records = {"a", "b", "c", "d", "e"}, .growth = {}, .snapshot = {}, .asked = {}};
  const auto first = Copy(source);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->added, 5u);
  EXPECT_EQ(All(copy_), source.records);
  source.records.push_back("f");
  source.asked.clear();
  const auto second = Copy(source);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->added, 1u);
  EXPECT_EQ(second->last, 6u);
  EXPECT_EQ(All(copy_), source.records);
  EXPECT_EQ(source.asked, (std::vector<uint64_t>{4}))
      << "its newest once more, and what comes behind it";
  const auto third = Copy(source);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->added, 0u);
}

TEST_F(CopyJournalTest, OfNothingIsNothing) {
  Source source{};
  const auto copied = Copy(source);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->last, 0u);
}

TEST_F(CopyJournalTest, EndsWhereTheJournalEndedWhenItBegan) {
  Source source{.records = {"a", "b", "c"},
                .growth = std::vector<std::string>(1'000, "later"),
                .snapshot = {},
                .asked = {}};
  const auto copied = Copy(source);
  ASSERT_TRUE(copied);
  EXPECT_GE(copied->last, 3u);
  EXPECT_LE(copied->last, 5u);
}

TEST_F(CopyJournalTest, OfAnotherJournalStaysAsItWas) {
  const std::string records[] = {"a", "b", "c"};
  ASSERT_TRUE(AppendTo(copy_, records));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"a", "b", "x", "d"}, {"a", "b"}, {}}) {
    Source source{.records = other, .growth = {}, .snapshot = {}, .asked = {}};
    const auto copied = Copy(source);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().code, ErrorCode::kConflict) << copied.error().message;
    EXPECT_EQ(All(copy_).size(), 3u);
  }
}

TEST_F(CopyJournalTest, NoticesThatTheJournalBecameAnother) {
  Source one{.records = {"a", "b", "c", "d", "e", "f"}, .growth = {}, .snapshot = {}, .asked = {}};
  Source other{
      .records = {"a", "b", "x", "y", "z", "w"}, .growth = {}, .snapshot = {}, .asked = {}};
  int pages = 0;
  const auto copied = CopyJournal(
      copy_,
      [&](uint64_t after, uint64_t offset) {
        return ++pages < 3 ? one.Page(after, offset) : other.Page(after, offset);
      },
      [](const Snapshot&) { return Ok(); });
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kConflict);
  EXPECT_EQ(All(copy_), (std::vector<std::string>{"a", "b", "c"})) << "nothing of the other one";
}

TEST_F(CopyJournalTest, HasRecordsThatFillAPage) {
  const std::vector<std::string> records = {"a", "b", "c"};
  const auto copied = CopyJournal(
      copy_,
      [&](uint64_t after, uint64_t) -> Result<JournalPage> {
        JournalPage page{after + 1, {}, records.size(), std::nullopt, 0};
        if (after < records.size()) page.records.push_back(records[after]);
        return page;
      },
      [](const Snapshot&) { return Ok(); });
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(All(copy_), records);
}

// Of a journal that has dropped records up to the third, or lost the first.
class CopyOfTheRest : public testing::Test {
 protected:
  Result<JournalCopy> Copy() {
    return CopyJournal(
        copy_, [&](uint64_t after, uint64_t offset) { return source_.Page(after, offset); },
        [&](const Snapshot& snapshot) {
          copy_.GoOnAfter(snapshot);
          return is_cut_ ? Status(Fail(Unavailable("the line is cut"))) : Ok();
        });
  }

  Source source_{.records = {"a", "b", "c", "d", "e"},
                 .growth = {},
                 .damaged = 0,
                 .snapshot = {3, "state"},
                 .asked = {},
                 .dropped = 2};
  MemoryJournal copy_;
  bool is_cut_ = false;
};

TEST_F(CopyOfTheRest, GoesOnBehindASnapshotAndLater) {
  const auto first = Copy();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->last, 5u);
  EXPECT_EQ(copy_.Base()->bytes, "state") << "all pieces of it";
  source_.records.push_back("f");
  const auto second = Copy();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->last, 6u);
  EXPECT_EQ(second->added, 1u);
}

TEST_F(CopyOfTheRest, GoesOnWhereItHasTheSnapshotAlone) {
  is_cut_ = true;
  ASSERT_FALSE(Copy());
  is_cut_ = false;
  const auto rest = Copy();
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->last, 5u);
  EXPECT_EQ(rest->added, 2u);
}

TEST_F(CopyOfTheRest, GoesOnWithAllOfTheNextSnapshot) {
  is_cut_ = true;
  ASSERT_FALSE(Copy());
  const auto copied = CopyJournal(
      copy_,
      [&](uint64_t after, uint64_t offset) {
        if (after == 3) source_.snapshot = {5, "later"};
        if (after == 3) source_.damaged = 4;
        return source_.Page(after, offset);
      },
      [&](const Snapshot& snapshot) {
        copy_.GoOnAfter(snapshot);
        return Ok();
      });
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copy_.LatestSnapshot()->bytes, "later");
}

TEST_F(CopyOfTheRest, OfAnotherSnapshotStaysAsItWas) {
  is_cut_ = true;
  ASSERT_FALSE(Copy());
  is_cut_ = false;
  for (const Snapshot& other : {Snapshot{3, "stale"}, Snapshot{4, "state"}}) {
    source_.snapshot = other;
    source_.dropped = other.sequence - 1;
    EXPECT_EQ(Copy().error().code, ErrorCode::kConflict);
    EXPECT_EQ(copy_.LastSequence(), 3u);
  }
}

TEST_F(CopyOfTheRest, BeginsAgainWithASnapshotThatTookTheOthersPlace) {
  int pages = 0;
  const auto copied = CopyJournal(
      copy_,
      [&](uint64_t after, uint64_t offset) {
        if (++pages == 2) source_.snapshot = {4, "later"};
        if (pages == 2) source_.dropped = 3;
        return source_.Page(after, offset);
      },
      [&](const Snapshot& snapshot) {
        copy_.GoOnAfter(snapshot);
        return Ok();
      });
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copy_.Base()->sequence, 4u);
  EXPECT_EQ(copy_.Base()->bytes, "later");
  EXPECT_EQ(copied->last, 5u);
}

TEST_F(CopyJournalTest, GoesOnBehindWhatIsDamagedThere) {
  Source source{.records = {"a", "b", "c", "d", "e"},
                .growth = {},
                .damaged = 3,
                .snapshot = {4, "state"},
                .asked = {}};
  EXPECT_FALSE(Copy(source));
  EXPECT_EQ(went_on_after_, 4u);
  EXPECT_EQ(All(copy_), (std::vector<std::string>{"a", "b"}))
      << "what is sound before it is kept too";
}

TEST_F(CopyJournalTest, SaysWhatTheJournalSays) {
  Source source{
      .records = {"a", "b", "c"}, .growth = {}, .damaged = 2, .snapshot = {}, .asked = {}};
  const auto copied = Copy(source);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, "record 2 is damaged");
  copy_.FailNextAppend();
  Source sound{.records = {"a", "b"}, .growth = {}, .snapshot = {}, .asked = {}};
  EXPECT_EQ(Copy(sound).error().message, "journal: no space left");
}

}  // namespace
}  // namespace gp
