// Every table under tests/golden/tables, played over the real core.  GP_ACCEPT=1 rewrites them
// with what happens now: read the difference before you commit it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/golden/table_runner.h"

namespace gp {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The table with its outcomes computed again.
std::string Play(const std::string& table, TableRunner& runner) {
  std::stringstream in(table);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') {
      out += line + "\n";
      continue;
    }
    const size_t arrow = std::min(line.find(" -> "), line.find(" => "));
    std::string command = line.substr(0, arrow);
    command.erase(command.find_last_not_of(' ') + 1);
    std::string padded = command;
    padded.resize(std::max<size_t>(padded.size() + 1, 46), ' ');
    out += padded + runner.Run(command) + "\n";
  }
  return out;
}

class GoldenTable : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTable, HappensAsWritten) {
  const std::string expected = ReadAll(GetParam());
  TableRunner runner;
  const std::string actual = Play(expected, runner);
  if (std::getenv("GP_ACCEPT") != nullptr) {
    std::ofstream(GetParam()) << actual;
  } else {
    EXPECT_EQ(actual, expected);
  }
  EXPECT_THAT(runner.cluster().broken(), testing::IsEmpty());
  EXPECT_TRUE(runner.cluster().ReplayAgrees());
}

std::vector<std::filesystem::path> Tables() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(GP_SOURCE_DIR "/tests/golden/tables")) {
    if (entry.path().extension() == ".table") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTable, testing::ValuesIn(Tables()),
                         [](const auto& table) { return table.param.stem().string(); });

}  // namespace
}  // namespace gp
