// The journal's files, cut at every byte of their last 4 KiB and with every bit of 64 KiB turned,
// one at a time.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "tests/crash/crash_case.h"
#include "tests/crash/damage/damaged_journal.h"

namespace gp {
namespace {

constexpr size_t kCutBytes = 4 << 10;
constexpr size_t kTurnedBytes = 64 << 10;

class Damage : public CrashCase {
 protected:
  ~Damage() override { WatchFiles(""); }
  void Make(WorkloadKind kind, LeftBy left_by) {
    journal_ = std::make_unique<DamagedJournal>(directory_, kind, left_by);
  }
  void Try(const std::string& suffix, const std::string& changed, uint64_t number,
           const std::string& where) {
    journal_->Place(suffix, changed);
    std::string why;
    const Fate fate = journal_->Start(why);
    ++fates_[static_cast<size_t>(fate)];
    ASSERT_NE(fate, Fate::kWrong) << where << ": " << why;
    if (number % 8 != 0) return;
    ASSERT_EQ(fate == Fate::kRefused ? journal_->Salvage() : journal_->AppendAndStartAgain(), "")
        << where << " (" << why << ")";
  }
  void CutAtEveryByte(WorkloadKind kind, LeftBy left_by, const std::string& suffix) {
    Make(kind, left_by);
    const Points points(31);
    const std::string& whole = journal_->file(suffix);
    const size_t first = whole.size() - std::min(whole.size(), kCutBytes);
    for (size_t size = first + points.offset; size < whole.size() && !HasFailure();
         size += points.stride) {
      Try(suffix, whole.substr(0, size), size / points.stride,
          "journal.db" + suffix + " cut at byte " + std::to_string(size));
    }
    Tell("cuts of journal.db" + suffix);
  }
  enum class Where { kFirst, kLast };  // 64 KiB of the file
  void TurnEveryBit(WorkloadKind kind, LeftBy left_by, const std::string& suffix, Where where) {
    Make(kind, left_by);
    const Points points(1'009);
    const std::string& whole = journal_->file(suffix);
    ASSERT_GE(whole.size(), kTurnedBytes) << "the journal is too short for this test";
    std::string changed = whole;
    const size_t first = where == Where::kFirst ? 0 : (whole.size() - kTurnedBytes) * 8;
    for (size_t bit = first + points.offset; bit < first + kTurnedBytes * 8 && !HasFailure();
         bit += points.stride) {
      const char mask = static_cast<char>(1 << bit % 8);
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ mask);
      Try(suffix, changed, (bit - first) / points.stride,
          "journal.db" + suffix + " bit " + std::to_string(bit));
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ mask);
    }
    Tell("bits of journal.db" + suffix);
  }
  void Tell(const std::string& what) const {
    std::printf("%s: %d harmless, %d with a loss told, %d refused, %d wrong\n", what.c_str(),
                fates_[0], fates_[1], fates_[2], fates_[3]);
  }

  std::unique_ptr<DamagedJournal> journal_;
  std::array<int, 4> fates_ = {};
};

TEST_F(Damage, AHealthyJournalIsWhole) {
  Make(WorkloadKind::kSnapshots, LeftBy::kKill);
  journal_->Place("", journal_->file(""));
  std::string why;
  EXPECT_EQ(journal_->Start(why), Fate::kWhole) << why;
  EXPECT_GT(journal_->records(), 50U);
}

TEST_F(Damage, DatabaseCut) { CutAtEveryByte(WorkloadKind::kJobs, LeftBy::kStop, ""); }
TEST_F(Damage, DatabaseUnderALogCut) {
  CutAtEveryByte(WorkloadKind::kSnapshots, LeftBy::kKill, "");
}
TEST_F(Damage, LogCut) { CutAtEveryByte(WorkloadKind::kSnapshots, LeftBy::kKill, "-wal"); }
TEST_F(Damage, BitsOfRecords) {
  TurnEveryBit(WorkloadKind::kJobs, LeftBy::kStop, "", Where::kFirst);
}
TEST_F(Damage, BitsOfSnapshots) {
  TurnEveryBit(WorkloadKind::kSnapshots, LeftBy::kStop, "", Where::kLast);
}
TEST_F(Damage, BitsOfTheLog) {
  TurnEveryBit(WorkloadKind::kSnapshots, LeftBy::kKill, "-wal", Where::kFirst);
}

TEST_F(Damage, BitsOfTheMark) {
  Make(WorkloadKind::kSnapshots, LeftBy::kKill);
  const std::string& whole = journal_->file(".mark");
  ASSERT_FALSE(whole.empty());
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string changed = whole;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    journal_->Place(".mark", changed);
    std::string why;
    ASSERT_EQ(journal_->Start(why), Fate::kWhole) << "bit " << bit << ": " << why;
  }
}

}  // namespace
}  // namespace gp
