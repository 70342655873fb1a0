// Seeded damage to good job files: whatever comes out, the decoder answers with jobs that are legal
// or with diagnostics that point into the text, and it never does both.

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/inbound/job_file/job_file.h"
#include "base/rng.h"
#include "tests/unit/adapters/job_file/good_files.h"

namespace gp {
namespace {

constexpr std::string_view kScraps[] = {":",
                                        ": ",
                                        "- ",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        "\n",
                                        "\n  ",
                                        "\t",
                                        "\"",
                                        "'",
                                        "#",
                                        "#GPU ",
                                        "&a ",
                                        "*a",
                                        "!!int ",
                                        "<<: ",
                                        "|",
                                        ">",
                                        "? ",
                                        "---\n",
                                        "...\n",
                                        "%YAML 1.2\n",
                                        "~",
                                        "null",
                                        "yes",
                                        "0",
                                        "-1",
                                        "010",
                                        "1e9",
                                        ".nan",
                                        "9223372036854775808",
                                        "0.5",
                                        "80GB",
                                        "12h",
                                        "..",
                                        "%",
                                        "${",
                                        "é",
                                        "\xff",
                                        "\x01",
                                        "\r",
                                        "\xe2\x80\xae",
                                        "\\",
                                        "\\u0000",
                                        "gpus",
                                        "run: x\n",
                                        "    "};

void MutateOnce(std::string& text, Rng& rng) {
  const size_t at = rng.Below(text.size() + 1);
  const size_t length =
      std::min<size_t>(text.size() - at, 1 + rng.Below(rng.Chance(1, 4) ? 40 : 3));
  switch (rng.Below(6)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, kScraps[rng.Below(std::size(kScraps))]); break;
    case 2: text.replace(at, length, kScraps[rng.Below(std::size(kScraps))]); break;
    case 3: text.insert(rng.Below(text.size() + 1), text.substr(at, length)); break;
    case 4:
      if (at < text.size()) text[at] = static_cast<char>(rng.Below(256));
      break;
    default: text.resize(at);
  }
}

// Lines as the decoder counts them, each with its number of characters.
std::vector<int> CharactersOfLines(std::string_view text) {
  std::vector<int> counts(1, 0);
  for (const char c : text) {
    if (c == '\n') {
      counts.push_back(0);
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      ++counts.back();
    }
  }
  return counts;
}

void ExpectInside(const Diagnostic& problem, std::string_view text, std::string_view file_name) {
  const std::vector<int> lines = CharactersOfLines(text);
  EXPECT_EQ(problem.file, file_name);
  EXPECT_EQ(problem.code.size(), 6u);
  EXPECT_FALSE(problem.message.empty());
  ASSERT_GE(problem.line, 1);
  ASSERT_LE(problem.line, static_cast<int>(lines.size()));
  EXPECT_GE(problem.column, 1);
  // Damaged bytes are counted differently here and there; all else must fit.
  const int slack = problem.code == "GP1001" ? static_cast<int>(text.size()) : 1;
  EXPECT_LE(problem.column, lines[static_cast<size_t>(problem.line) - 1] + slack);
  EXPECT_NE(problem.excerpt.find('^'), std::string::npos);
}

void ExpectJobsOrDiagnostics(const DecodedJobs& decoded, std::string_view text,
                             std::string_view file_name) {
  EXPECT_NE(decoded.jobs.empty(), decoded.diagnostics.empty());
  for (const Diagnostic& problem : decoded.diagnostics) ExpectInside(problem, text, file_name);
  for (const JobSpec& job : decoded.jobs) {
    const Status status = ValidateJobSpec(job);
    EXPECT_TRUE(status.has_value()) << status.error().message;
    EXPECT_FALSE(job.name.empty());
  }
}

TEST(Mutation, NeverSilentNeverBoth) {
  constexpr int kMutations = 20'000;
  Rng rng(20260301);
  int refused = 0;
  for (int i = 0; i < kMutations && !testing::Test::HasFailure(); ++i) {
    const GoodFile& file = kGoodFiles[rng.Below(std::size(kGoodFiles))];
    std::string text(file.text);
    for (uint64_t changes = 1 + rng.Below(4); changes > 0; --changes) MutateOnce(text, rng);
    SCOPED_TRACE(testing::Message() << "mutation " << i << " of " << file.name << ":\n" << text);
    const std::string copy = text;  // of its exact size, for sanitizers
    const DecodedJobs decoded = DecodeJobFile(file.name, copy);
    const bool has_mark = copy.starts_with("\xef\xbb\xbf");
    ExpectJobsOrDiagnostics(decoded, has_mark ? copy.substr(3) : copy, file.name);
    refused += decoded.jobs.empty() ? 1 : 0;
  }
  EXPECT_GT(refused, kMutations / 4);                // the damage is real
  EXPECT_LT(refused, kMutations - kMutations / 20);  // and not always deadly
}

TEST(Mutation, TheOriginalsAreGood) {
  for (const GoodFile& file : kGoodFiles) {
    EXPECT_EQ(RenderDiagnostics(DecodeJobFile(file.name, file.text).diagnostics), "") << file.name;
  }
}

TEST(Mutation, OptionsToo) {
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    std::string path = "resources.gpus.count";
    std::string value = "{count: 4, model: [H100]}";
    MutateOnce(path, rng);
    MutateOnce(value, rng);
    SCOPED_TRACE(path + "=" + value);
    const DecodedJobs decoded = DecodeJobFile(
        "a.yaml", "run: x\n", {.overrides = {{path, value}}, .environment = {{path, value}}});
    EXPECT_NE(decoded.jobs.empty(), decoded.diagnostics.empty());
    for (const Diagnostic& problem : decoded.diagnostics) EXPECT_GE(problem.column, 1);
  }
}

}  // namespace
}  // namespace gp
