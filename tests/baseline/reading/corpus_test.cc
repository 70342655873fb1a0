// Journals that earlier programs wrote are read by this one: every record and snapshot decodes, the
// state that they make keeps all invariants, and what is decided again is what corpus.txt says.
// docs/how-to/baseline.md says what to do when a line differs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/codec/codec.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

const fs::path kBaseline = GP_BASELINE;

// Opening a journal writes to its directory: each test has a copy.
class Copy {
 public:
  explicit Copy(const fs::path& journal)
      : directory_(fs::path(testing::TempDir()) / ("corpus-" + journal.stem().string())) {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    fs::copy_file(journal, path());
  }
  ~Copy() { fs::remove_all(directory_); }
  std::string path() const { return (directory_ / "journal.db").string(); }

 private:
  fs::path directory_;
};

std::vector<fs::path> Journals() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kBaseline / "corpus")) {
    if (entry.path().extension() == ".db") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string NameOf(const fs::path& journal) {
  return fs::relative(journal, kBaseline / "corpus").string();
}

std::string LineOf(const fs::path& path) {
  const Copy copy(path);
  const auto journal = SqliteJournal::Open(copy.path());
  if (!journal) return NameOf(path) + ": " + journal.error().message;
  const auto report = Replay(**journal, true);
  if (!report) return NameOf(path) + ": " + report.error().message;
  const auto recovered = RecoverState(**journal);
  if (!recovered) return NameOf(path) + ": " + recovered.error().message;
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016lx", report->digest);
  return NameOf(path) + " first " + std::to_string(report->first) + " records " +
         std::to_string(report->records) + " events " + std::to_string(report->events) + " plans " +
         std::to_string(report->plans) + " digest " + digest + " differences " +
         std::to_string(report->differences.size());
}

TEST(Corpus, IsReadAndDecidedAgain) {
  const std::vector<fs::path> journals = Journals();
  ASSERT_GE(journals.size(), 24u);
  std::string lines;
  for (const fs::path& journal : journals) lines += LineOf(journal) + "\n";
  std::ifstream file(kBaseline / "corpus.txt");
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  const std::string seen = testing::TempDir() + "corpus.txt";
  if (lines != expected) std::ofstream(seen) << lines;
  EXPECT_EQ(lines, expected) << "the corpus is not read as " << (kBaseline / "corpus.txt")
                             << " says; seen: " << seen;
}

// A corpus in which something does not occur proves nothing of it.
TEST(Corpus, HasEveryCommandAndEventOfItsFormat) {
  constexpr size_t kCommandsOfFormat16 = 33;
  constexpr size_t kEventsOfFormat16 = 55;
  std::set<std::string> missing;
  for (size_t i = 0; i < kCommandsOfFormat16; ++i) missing.insert("command " + std::to_string(i));
  for (size_t i = 0; i < kEventsOfFormat16; ++i) missing.insert("event " + std::to_string(i));
  for (const fs::path& path : Journals()) {
    const Copy copy(path);
    const auto journal = SqliteJournal::Open(copy.path());
    ASSERT_TRUE(journal) << journal.error().message;
    const auto strike = [&](uint64_t, std::string_view bytes) -> Status {
      const Record record = GP_TRY(DecodeRecord(bytes));
      missing.erase("command " + std::to_string(record.envelope.command.index()));
      for (const Event& event : record.events) {
        missing.erase("event " + std::to_string(event.index()));
      }
      return Ok();
    };
    const Status read = (*journal)->ReadAfter((*journal)->BaseNumber().value(), strike);
    ASSERT_TRUE(read) << read.error().message;
  }
  std::string names;
  for (const std::string& name : missing) names += ", " + name;
  EXPECT_TRUE(missing.empty()) << "not in the corpus" << names;
}

}  // namespace
}  // namespace gp
