#include "adapters/outbound/audit/audit_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "adapters/outbound/audit/audit_chain.h"

namespace gp {
namespace {

AuditEntry Entry(uint64_t number, const std::string& user = "ana") {
  return {number,    "2026-01-01T00:00:00.000Z",      user,      "unix",
          "StopJob", "job-" + std::to_string(number), "by force"};
}

class AuditFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(directory_); }

  std::string Path(int number) const {
    return directory_ + "/audit-00000" + std::to_string(number) + ".jsonl";
  }
  std::string Text(int number) const {
    std::ifstream file(Path(number), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  void Put(int number, const std::string& text) const {
    std::ofstream(Path(number), std::ios::binary | std::ios::trunc) << text;
  }
  void Write(uint64_t first, uint64_t last, int64_t bytes_max = AuditFile::kFileBytesMax) const {
    const auto audit = *AuditFile::Open(directory_, bytes_max);
    for (uint64_t number = first; number <= last; ++number) audit->Write(Entry(number));
  }
  std::string Broken() const { return VerifyAudit(directory_)->broken; }

  const std::string directory_ = testing::TempDir() + "audit_files";
};

TEST_F(AuditFiles, GoOnWhereTheyEnded) {
  Write(3, 5);
  EXPECT_EQ((*AuditFile::Open(directory_))->LastNumber(), 5u);
  Write(9, 9);
  const auto verdict = *VerifyAudit(directory_);
  EXPECT_EQ(verdict.entries, 4u);
  EXPECT_EQ(verdict.broken, "");
  EXPECT_EQ(verdict.hash.size(), 64u);
}

TEST_F(AuditFiles, SayWhatIsWritten) {
  Write(1, 4);
  const auto audit = *AuditFile::Open(directory_, 100);
  EXPECT_EQ(audit->WrittenUntil(), UINT64_MAX) << "all";
  std::filesystem::create_directory(Path(2));  // in the next file's place
  audit->Write(Entry(5));
  audit->Write(Entry(6));
  (void)audit->Read({});  // the entries are on their way
  EXPECT_EQ(audit->WrittenUntil(), 4u);
  for (uint64_t number = 7; number < 200'000; ++number) audit->Write(Entry(number));
  (void)audit->Read({});
  EXPECT_EQ(audit->WrittenUntil(), 4u) << "and nothing more, until the next start";
}

TEST_F(AuditFiles, AreTheirOwnersAlone) {
  Write(1, 1);
  struct stat status{};
  ASSERT_EQ(stat(Path(1).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(AuditFiles, TellTheNewestFirst) {
  const auto audit = *AuditFile::Open(directory_);
  for (uint64_t number = 1; number <= 6; ++number)
    audit->Write(Entry(number, number % 2 == 0 ? "ben" : "ana"));
  AuditEntry refused = Entry(7);
  refused.refused = true;
  refused.why = "not yours";
  refused.times = 3;
  audit->Write(refused);
  const auto numbers = [&](const AuditQuery& query) {
    std::vector<uint64_t> found;
    const auto entries = *audit->Read(query);
    for (const WrittenAuditEntry& written : entries) found.push_back(written.entry.number);
    return found;
  };
  EXPECT_EQ(numbers({}), (std::vector<uint64_t>{7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(numbers({.user = "ben", .limit = 2}), (std::vector<uint64_t>{6, 4}));
  EXPECT_EQ(numbers({.user = "ben", .before = 4}), (std::vector<uint64_t>{2}));
  EXPECT_EQ(numbers({.object = "job-5"}), (std::vector<uint64_t>{5}));
  EXPECT_EQ(numbers({.operation = "SubmitJob"}), (std::vector<uint64_t>{}));
  ASSERT_EQ(numbers({.refused = true}), (std::vector<uint64_t>{7}));
  EXPECT_EQ(audit->Read({.refused = true})->front().entry, refused);
}

TEST_F(AuditFiles, FollowOneAnother) {
  Write(1, 40, 1'000);
  ASSERT_TRUE(std::filesystem::exists(Path(3)));
  EXPECT_EQ(VerifyAudit(directory_)->entries, 40u);
  EXPECT_EQ(Broken(), "");
  EXPECT_EQ((*AuditFile::Open(directory_))->Read({.limit = 1'000})->size(), 40u);
  // The oldest may be taken away to an archive, but none between.
  std::filesystem::remove(Path(1));
  EXPECT_EQ(Broken(), "");
  std::filesystem::remove(Path(3));
  EXPECT_EQ(Broken(), "audit-000003.jsonl is missing");
}

TEST_F(AuditFiles, LoseNothingButATornLine) {
  Write(1, 3);
  Put(1, Text(1) + "{\"number\":4,\"at\"");
  EXPECT_EQ((*AuditFile::Open(directory_))->LastNumber(), 3u);
  Write(4, 4);
  EXPECT_EQ(VerifyAudit(directory_)->entries, 4u);
  EXPECT_EQ(Broken(), "");
}

TEST_F(AuditFiles, RefuseToGoOnBehindWhatIsNoEntry) {
  Write(1, 2);
  Put(1, Text(1) + "what is this\n");
  const auto audit = AuditFile::Open(directory_);
  ASSERT_FALSE(audit);
  EXPECT_NE(audit.error().message.find("audit-000001.jsonl"), std::string::npos);
}

// Whatever is done to a file of five lines is noticed, and where.
TEST_F(AuditFiles, ShowWhereTheyWereChanged) {
  Write(1, 5);
  const std::string whole = Text(1);
  std::vector<size_t> ends;
  for (size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1))
    ends.push_back(at + 1);
  Put(1, whole.substr(0, ends[1]) + whole.substr(ends[2]));
  EXPECT_NE(Broken().find("line 3: does not follow"), std::string::npos) << Broken();
  Put(1,
      whole.substr(0, ends[1]) + whole.substr(ends[0], ends[1] - ends[0]) + whole.substr(ends[1]));
  EXPECT_NE(Broken().find("line 3: does not follow"), std::string::npos) << Broken();
  for (size_t at = ends[2]; at < whole.size(); ++at) {
    if (whole[at] == '\n') continue;
    std::string changed = whole;
    changed[at] = changed[at] == '7' ? '8' : '7';
    Put(1, changed);
    EXPECT_NE(Broken(), "") << "byte " << at;
  }
  Put(1, whole);
  EXPECT_EQ(Broken(), "");
}

TEST(AuditLine, HasNoSecretsOfTerminalsInIt) {
  AuditEntry entry = Entry(1, "a\"b\n\xff");
  const std::string line = AuditLine(entry, kFirstHash).text;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(ParseAuditLine(line)->entry.user, "a\"b\n\xEF\xBF\xBD");
  EXPECT_EQ(*HashOf(line, kFirstHash), ParseAuditLine(line)->hash);
  EXPECT_NE(*HashOf(line, ParseAuditLine(line)->hash), ParseAuditLine(line)->hash);
}

}  // namespace
}  // namespace gp
