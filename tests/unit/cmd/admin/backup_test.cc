#include "cmd/admin/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/control_loop.h"
#include "application/control/recover.h"
#include "cmd/sharing/shared_mark.h"
#include "infrastructure/system_clock.h"
#include "tests/support/lower_layer.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class BackupTest : public testing::Test {
 protected:
  BackupTest() {
    char name[] = "/tmp/backup-test-XXXXXX";
    directory_ = mkdtemp(name);
    fs::create_directories(state_ = directory_ + "/state");
    backup_ = directory_ + "/backup";
  }
  ~BackupTest() override { fs::remove_all(directory_); }

  // A controller that begins, ends, and leaves what it has decided.
  void Live() {
    const auto journal = SqliteJournal::Open(state_ + "/journal.db");
    ASSERT_TRUE(journal) << journal.error().message;
    SystemClock clock;
    ControlOptions options;
    options.by_hand = true;
    options.begin_lineage = !(*journal)->loss().empty();
    const auto loop = ControlLoop::Open(**journal, clock, options);
    ASSERT_TRUE(loop) << loop.error().message;
    ASSERT_TRUE((*journal)->AcceptLoss());
  }

  uint64_t LastOf(const std::string& directory, std::string* loss = nullptr) {
    const auto journal = SqliteJournal::Open(directory + "/journal.db");
    EXPECT_TRUE(journal);
    if (loss != nullptr) *loss = (*journal)->loss();
    return (*journal)->LastSequence();
  }

  Result<JournalCopy> BackUpNow() {
    const auto journal = GP_TRY(SqliteJournal::Open(state_ + "/journal.db"));
    return BackUpJournal(backup_, [&](uint64_t after, uint64_t) -> Result<JournalPage> {
      JournalPage page{after + 1, {}, journal->LastSequence(), std::nullopt, 0};
      const Status read = journal->ReadAfter(after, [&](uint64_t, std::string_view bytes) {
        page.records.emplace_back(bytes);
        return Ok();
      });
      if (!read) page.base = GP_TRY(journal->Base());
      return page;
    });
  }

  // Another process has its journal open: the lock is a process's.
  static pid_t Hold(const std::string& directory) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t other = fork();
    if (other == 0) {
      const auto journal = SqliteJournal::Open(directory + "/journal.db");
      (void)!write(ready[1], journal ? "y" : "n", 1);
      pause();
      _exit(0);
    }
    char is_open = 0;
    EXPECT_EQ(read(ready[0], &is_open, 1), 1);
    EXPECT_EQ(is_open, 'y');
    return other;
  }
  static void End(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  std::string directory_;
  std::string state_;
  std::string backup_;
};

TEST_F(BackupTest, IsBroughtUpToDateAndRestored) {
  Live();
  const auto first = BackUpNow();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->added, LastOf(state_));
  Live();
  const auto second = BackUpNow();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->last, LastOf(state_));
  EXPECT_EQ(second->added, second->last - first->last);

  const std::string elsewhere = directory_ + "/new";
  const auto restored = Restore(backup_, elsewhere, {});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->last, second->last);
  EXPECT_EQ(restored->set_aside, "");
  std::string loss;
  EXPECT_EQ(LastOf(elsewhere, &loss), second->last);
  EXPECT_NE(loss, "") << "agents may have done more: a new lineage begins";
  EXPECT_EQ(LastOf(backup_, &loss), second->last);
  EXPECT_EQ(loss, "");
}

TEST_F(BackupTest, OfAControllerThatSharesItsLogMakesAStandby) {
  Live();
  ASSERT_TRUE(BackUpNow());
  const uint64_t copied = LastOf(backup_);
  Live();
  // In a fresh directory, and over the longer journal that was there.
  for (const std::string& state : {directory_ + "/new", state_}) {
    const auto made = Restore(backup_, state, {.replace = true, .as_standby = true});
    ASSERT_TRUE(made) << made.error().message;
    std::string loss;
    EXPECT_EQ(LastOf(state, &loss), copied);
    EXPECT_EQ(loss, "") << "it goes on with the log of the others: no new lineage begins";
    const Status alone = CheckNotShared(state);
    ASSERT_FALSE(alone) << "as the only controller it would be a second one";
    EXPECT_EQ(alone.error().code, ErrorCode::kConflict);
    EXPECT_THAT(alone.error().message, HasSubstr("--store"));
  }
}

TEST_F(BackupTest, OfAJournalThatDroppedRecordsBeginsWhereThatDoes) {
  Live();
  Live();
  const uint64_t base = LastOf(state_);
  {
    const auto journal = *SqliteJournal::Open(state_ + "/journal.db");
    ASSERT_TRUE(journal->SaveSnapshot({base, EncodeState(RecoverState(*journal)->state)}));
    ASSERT_TRUE(journal->BeginWith(base));
    while (journal->Sweep().value()) {
    }
  }
  Live();
  ASSERT_TRUE(BackUpNow());
  fs::remove_all(state_);
  const auto restored = Restore(backup_, state_, {});
  ASSERT_TRUE(restored) << restored.error().message;
  const auto journal = *SqliteJournal::Open(state_ + "/journal.db");
  EXPECT_EQ(journal->BaseNumber().value(), base);
  const auto replayed = Replay(*journal, true);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->first, base + 1);
  EXPECT_TRUE(replayed->differences.empty());
}

TEST_F(BackupTest, SetsAsideWhatIsThereWhenAsked) {
  Live();
  const uint64_t backed_up = BackUpNow()->last;
  Live();
  const uint64_t there = LastOf(state_);
  const auto refused = Restore(backup_, state_, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_EQ(LastOf(state_), there);
  const auto restored = Restore(backup_, state_, {.replace = true});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->set_aside, state_ + "/journal.db.before-restore");
  std::string loss;
  EXPECT_EQ(LastOf(state_, &loss), backed_up);
  EXPECT_NE(loss.find("to " + std::to_string(there) + " were written once"), std::string::npos)
      << loss;
  Live();
  EXPECT_EQ(Restore(backup_, state_, {.replace = true})->set_aside,
            state_ + "/journal.db.before-restore.2");
  // What was set aside is whole.
  fs::create_directories(directory_ + "/old");
  fs::rename(state_ + "/journal.db.before-restore", directory_ + "/old/journal.db");
  EXPECT_EQ(LastOf(directory_ + "/old"), there);
}

TEST_F(BackupTest, OfARestoredJournalBeginsAgain) {
  Live();
  ASSERT_TRUE(BackUpNow());
  Live();
  ASSERT_TRUE(BackUpNow());
  fs::rename(backup_, directory_ + "/newer");
  fs::create_directories(backup_);
  fs::rename(state_, directory_ + "/lost");
  fs::create_directories(state_);
  Live();  // another journal
  Live();
  ASSERT_TRUE(BackUpNow());
  fs::remove_all(backup_);
  fs::rename(directory_ + "/newer", backup_);
  const auto copied = BackUpNow();
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kConflict);
  EXPECT_NE(copied.error().message.find(backup_), std::string::npos) << copied.error().message;
}

TEST_F(BackupTest, RefusesWhileAControllerRuns) {
  Live();
  ASSERT_TRUE(BackUpNow());
  const pid_t other = Hold(state_);
  const auto restored = Restore(backup_, state_, {.replace = true});
  End(other);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kConflict) << restored.error().message;
  EXPECT_TRUE(Restore(backup_, state_, {.replace = true}));
}

TEST_F(BackupTest, RefusesWhatIsNoBackupOrDamaged) {
  EXPECT_EQ(Restore(backup_, state_, {}).error().code, ErrorCode::kNotFound);
  fs::create_directories(backup_);
  Write(backup_ + "/letter.txt", "dear");
  fs::permissions(backup_, fs::perms(0755));
  EXPECT_EQ(BackUpNow().error().code, ErrorCode::kConflict);
  EXPECT_EQ(fs::status(backup_).permissions(), fs::perms(0755))
      << "what is something else stays as it is";
  EXPECT_EQ(fs::directory_iterator(backup_)->path().filename(), "letter.txt");
  fs::rename(backup_ + "/letter.txt", backup_ + "/README");
  EXPECT_EQ(BackUpNow().error().code, ErrorCode::kConflict) << "many a directory has one";
  fs::remove(backup_ + "/README");
  Live();
  EXPECT_EQ(
      BackUpJournal(state_, [](uint64_t, uint64_t) -> Result<JournalPage> { return JournalPage{}; })
          .error()
          .code,
      ErrorCode::kConflict)
      << "a state directory is none";
  EXPECT_EQ(Restore(state_, directory_ + "/new", {}).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(BackUpNow());
  fs::remove(state_ + "/journal.db");
  std::string text = TextOf(backup_ + "/journal.db");
  for (size_t at = 4'096; at < text.size(); at += 64) text[at] ^= 1;  // all pages but the first
  Write(backup_ + "/journal.db", text);
  EXPECT_FALSE(Restore(backup_, state_, {}));
  EXPECT_FALSE(fs::exists(state_ + "/journal.db")) << "nothing was put there";
  EXPECT_EQ(Restore(backup_, backup_, {.replace = true}).error().code, ErrorCode::kInvalidArgument);
  for (const auto& file : fs::directory_iterator(state_))
    EXPECT_EQ(file.path().string().find("restored"), std::string::npos) << file.path();
}

TEST_F(BackupTest, HasTheSecretsAndWholeLinesOfTheAudit) {
  Write(state_ + "/join-token", "token\n");
  Write(state_ + "/authority.pem", "key\n");
  fs::create_directories(state_ + "/audit");
  Write(state_ + "/audit/audit-000001.jsonl", "one\ntwo\nthr");
  Live();
  ASSERT_TRUE(BackUpNow());
  EXPECT_TRUE(BackUpFiles(backup_, state_).empty());
  EXPECT_EQ(TextOf(backup_ + "/audit/audit-000001.jsonl"), "one\ntwo\n");
  Write(state_ + "/audit/audit-000001.jsonl", "one\ntwo\nthree\n");
  EXPECT_TRUE(BackUpFiles(backup_, state_).empty());
  EXPECT_EQ(TextOf(backup_ + "/audit/audit-000001.jsonl"), "one\ntwo\nthree\n");
  for (const std::string path : {"", "/audit", "/join-token", "/authority.pem", "/journal.db"}) {
    struct stat found{};
    ASSERT_EQ(stat((backup_ + path).c_str(), &found), 0) << path;
    EXPECT_EQ(found.st_mode & 077, 0u) << path << ": for its owner alone";
  }

  const std::string elsewhere = directory_ + "/new";
  ASSERT_TRUE(Restore(backup_, elsewhere, {}));
  EXPECT_EQ(TextOf(elsewhere + "/join-token"), "token\n");
  EXPECT_EQ(TextOf(elsewhere + "/authority.pem"), "key\n");
  EXPECT_EQ(TextOf(elsewhere + "/audit/audit-000001.jsonl"), "one\ntwo\nthree\n");
  Write(elsewhere + "/join-token", "newer\n");
  Write(elsewhere + "/audit/audit-000001.jsonl", "more\n");
  ASSERT_TRUE(Restore(backup_, elsewhere, {.replace = true}));
  EXPECT_EQ(TextOf(elsewhere + "/join-token"), "token\n");
  EXPECT_EQ(TextOf(elsewhere + "/join-token.before-restore"), "newer\n");
  EXPECT_EQ(TextOf(elsewhere + "/audit/audit-000001.jsonl"), "one\ntwo\nthree\n");
  EXPECT_EQ(TextOf(elsewhere + "/audit.before-restore/audit-000001.jsonl"), "more\n");
}

TEST_F(BackupTest, KeepsAnAuditThatWasLostAndBegunAgain) {
  Live();
  ASSERT_TRUE(BackUpNow());
  Write(state_ + "/join-token", "token\n");
  fs::create_directories(state_ + "/audit");
  Write(state_ + "/audit/audit-000001.jsonl", "one\ntwo\n");
  EXPECT_TRUE(BackUpFiles(backup_, state_).empty());
  Write(state_ + "/audit/audit-000001.jsonl", "new\n");
  EXPECT_TRUE(BackUpFiles(backup_, state_).empty());
  EXPECT_EQ(TextOf(backup_ + "/audit/audit-000001.jsonl"), "new\n");
  EXPECT_EQ(TextOf(backup_ + "/audit.old.1/audit-000001.jsonl"), "one\ntwo\n");
}

TEST_F(BackupTest, KeepsAnOldAuditInALowerLayer) {
  const LowerLayer layer("backup_lower");
  fs::create_directories(layer.lower() + "/backup/audit");
  Write(layer.lower() + "/backup/audit/audit-000001.jsonl", "one\ntwo\n");
  GP_COVER_OR_SKIP(layer);
  fs::create_directories(state_ + "/audit");
  Write(state_ + "/join-token", "token\n");
  Write(state_ + "/audit/audit-000001.jsonl", "new\n");
  EXPECT_TRUE(BackUpFiles(layer.top() + "/backup", state_).empty());
  EXPECT_EQ(TextOf(layer.top() + "/backup/audit/audit-000001.jsonl"), "new\n");
  EXPECT_EQ(TextOf(layer.top() + "/backup/audit.old.1/audit-000001.jsonl"), "one\ntwo\n");
}

TEST_F(BackupTest, RefusesWhileABackupIsMade) {
  Live();
  ASSERT_TRUE(BackUpNow());
  const pid_t other = Hold(backup_);
  const auto restored = Restore(backup_, directory_ + "/new", {});
  const auto again = BackUpNow();
  End(other);
  EXPECT_EQ(restored.error().code, ErrorCode::kConflict) << restored.error().message;
  EXPECT_EQ(again.error().code, ErrorCode::kConflict) << again.error().message;
}

TEST_F(BackupTest, SaysWhatItLacks) {
  Live();
  ASSERT_TRUE(BackUpNow());
  fs::create_directories(state_ + "/join-token");  // no file
  const auto missing = BackUpFiles(backup_, state_);
  ASSERT_EQ(missing.size(), 2u) << "the authority alone may be missing";
  EXPECT_NE(missing[0].find("join-token"), std::string::npos);
  EXPECT_NE(missing[1].find("audit"), std::string::npos);
}

}  // namespace
}  // namespace gp
