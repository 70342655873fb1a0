#include "cmd/watch/watch_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Keys(const WatchTable& table) {
  std::vector<std::string> keys;
  for (const WatchRow& row : table.rows) keys.push_back(row.key);
  return keys;
}

// Rows of one column with a number, or unknown; their keys are their places.
WatchTable Ranked(const std::vector<std::optional<double>>& ranks) {
  WatchTable table{{{"UTIL"}}, {}, "none"};
  for (size_t i = 0; i < ranks.size(); ++i) {
    table.rows.push_back({std::to_string(i), {{ranks[i] ? "x" : "–", ranks[i]}}, {}});
  }
  return table;
}

TEST(WatchTableOrder, WithoutAColumnRowsStayAsTheyCame) {
  for (const int column : {-1, 1, 99}) {
    WatchTable table = Ranked({3, 1, 2});
    Arrange(table, {.column = column, .reverse = true, .filter = ""});
    EXPECT_THAT(Keys(table), ElementsAre("0", "1", "2")) << column;
  }
}

TEST(WatchTableOrder, NumbersSortAsNumbersAndUnknownOnesComeLast) {
  WatchTable table = Ranked({10, std::nullopt, 9, -1, std::nullopt, 100});
  Arrange(table, {.column = 0, .reverse = false, .filter = ""});
  EXPECT_THAT(Keys(table), ElementsAre("3", "2", "0", "5", "1", "4"));
  table = Ranked({10, std::nullopt, 9, -1, std::nullopt, 100});
  Arrange(table, {.column = 0, .reverse = true, .filter = ""});
  EXPECT_THAT(Keys(table), ElementsAre("5", "0", "2", "3", "1", "4"));
}

TEST(WatchTableOrder, EqualRowsKeepTheirOrderInBothDirections) {
  for (const bool reverse : {false, true}) {
    WatchTable table = Ranked({5, 5, 5, 5});
    Arrange(table, {.column = 0, .reverse = reverse, .filter = ""});
    EXPECT_THAT(Keys(table), ElementsAre("0", "1", "2", "3"));
  }
}

TEST(WatchTableOrder, TextsSortAsTexts) {
  WatchTable table{{{"NAME"}}, {{"c", {{"c"}}, {}}, {"a", {{"a"}}, {}}, {"b", {{"b"}}, {}}}, ""};
  Arrange(table, {.column = 0, .reverse = false, .filter = ""});
  EXPECT_THAT(Keys(table), ElementsAre("a", "b", "c"));
  Arrange(table, {.column = 0, .reverse = true, .filter = ""});
  EXPECT_THAT(Keys(table), ElementsAre("c", "b", "a"));
}

TEST(WatchTableFilter, KeepsRowsWithTheTextInAnyCellAndCase) {
  const auto filtered = [](const std::string& filter) {
    WatchTable table{{{"JOB"}, {"USER"}},
                     {{"1", {{"Train"}, {"ana"}}, {}}, {"2", {{"eval"}, {"TRAINER"}}, {}}},
                     "none"};
    Arrange(table, {.column = -1, .reverse = false, .filter = filter});
    return table;
  };
  EXPECT_THAT(Keys(filtered("tRaIn")), ElementsAre("1", "2"));
  EXPECT_THAT(Keys(filtered("ana")), ElementsAre("1"));
  EXPECT_THAT(Keys(filtered("")), ElementsAre("1", "2"));
  EXPECT_THAT(Keys(filtered("trainana")), IsEmpty()) << "not over two cells";
  EXPECT_EQ(filtered("bob").empty, "nothing matches \"bob\"");
  EXPECT_EQ(filtered("ana").empty, "none");
}

int Taken(const std::vector<int>& widths) {
  int taken = -1;
  for (const int width : widths) taken += width > 0 ? width + 1 : 0;
  return std::max(taken, 0);
}

TEST(WatchTableWidths, ColumnsAreAsWideAsTheirContentWithinBounds) {
  WatchTable table{{{"NAME", 4, 8}, {"N", 2, 2}}, {}, ""};
  table.rows.push_back({"1", {{"abcdef"}, {"1"}}, {}});
  EXPECT_THAT(FitColumns(table, 80), ElementsAre(6, 2));
  table.rows.push_back({"2", {{"abcdefghijkl"}, {"1"}}, {}});
  EXPECT_THAT(FitColumns(table, 80), ElementsAre(8, 2));
}

TEST(WatchTableWidths, TheLeastImportantGoFirst) {
  const WatchTable table{{{"A", 10, 10, 9}, {"B", 10, 10, 6}, {"C", 10, 10, 8}}, {}, ""};
  EXPECT_THAT(FitColumns(table, 32), ElementsAre(10, 10, 10));
  EXPECT_THAT(FitColumns(table, 31), ElementsAre(10, 0, 10));
  EXPECT_THAT(FitColumns(table, 20), ElementsAre(10, 0, 0));
  EXPECT_THAT(FitColumns(table, 5), ElementsAre(10, 0, 0)) << "the first one stays";
}

TEST(WatchTableWidths, ExtrasComeOnlyWhereAllOthersHaveTheirWidth) {
  WatchTable table{{{"A", 4, 20, 9}, {"X", 6, 6, 3}, {"Y", 6, 6, 4}}, {}, ""};
  table.rows.push_back({"1", {{std::string(10, 'a')}, {"x"}, {"y"}}, {}});
  EXPECT_THAT(FitColumns(table, 16), ElementsAre(10, 0, 0));
  EXPECT_THAT(FitColumns(table, 17), ElementsAre(10, 0, 6)) << "the more important first";
  EXPECT_THAT(FitColumns(table, 24), ElementsAre(10, 6, 6));
}

TEST(WatchTableWidths, AnOptionalColumnIsLeftOutWhileItIsEmpty) {
  WatchTable table{{{"A", 4, 4}, {"NOTE", 6, 20, 9, false, false, true}}, {}, ""};
  table.rows.push_back({"1", {{"a"}, {""}}, {}});
  EXPECT_THAT(FitColumns(table, 80), ElementsAre(4, 0));
  table.rows.push_back({"2", {{"a"}, {"hot"}}, {}});
  EXPECT_THAT(FitColumns(table, 80), ElementsAre(4, 6));
}

TEST(WatchTableWidths, BarsTakeWhatNothingElseWants) {
  WatchTable table{{{"NAME", 4, 10}, {"UTIL", 5, 30}}, {}, ""};
  table.rows.push_back({"1", {{"abcdef"}, {"97%", 97, 0.97}}, {}});
  EXPECT_THAT(FitColumns(table, 80), ElementsAre(6, 30));
  EXPECT_THAT(FitColumns(table, 25), ElementsAre(6, 18));
}

// Of any table, on a screen of any width.
TEST(WatchTableWidths, NeverTakeMoreThanTheScreenNorMoreThanTheirBounds) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    WatchTable table;
    // As in each view: the first column names the row and is one of the most important.
    const int columns = rng.Between(1, 8);
    for (int i = 0; i < columns; ++i) {
      const int least = rng.Between(1, 12);
      table.columns.push_back({std::string(static_cast<size_t>(rng.Between(0, least)), 'T'), least,
                               least + rng.Between(0, 30), i == 0 ? 9 : rng.Between(3, 8), false,
                               rng.Chance(1, 4), rng.Chance(1, 4)});
    }
    for (int row = rng.Between(0, 3); row > 0; --row) {
      table.rows.push_back({std::to_string(row), {}, {}});
      for (int i = 0; i < columns; ++i) {
        table.rows.back().cells.push_back(
            {std::string(static_cast<size_t>(rng.Between(0, 40)), 'x'), std::nullopt,
             rng.Chance(1, 5) ? std::optional(0.5) : std::nullopt});
      }
    }
    for (int width = 0; width < 160; width += 7) {
      const std::vector<int> widths = FitColumns(table, width);
      ASSERT_EQ(widths.size(), table.columns.size());
      const bool only_first = std::accumulate(widths.begin() + 1, widths.end(), 0) == 0;
      EXPECT_TRUE(Taken(widths) <= width || only_first) << round << " " << width;
      for (int i = 0; i < columns; ++i) {
        EXPECT_GE(widths[static_cast<size_t>(i)], 0);
        EXPECT_LE(widths[static_cast<size_t>(i)],
                  std::max(table.columns[static_cast<size_t>(i)].width_max,
                           table.columns[static_cast<size_t>(i)].width_min + 6));
      }
    }
  }
}

}  // namespace
}  // namespace gp
