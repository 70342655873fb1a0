#include "infrastructure/table.h"

#include <gtest/gtest.h>

#include <clocale>

namespace gp {
namespace {

class TableTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
};

TEST_F(TableTest, ColumnsAreAsWideAsTheirCells) {
  Table table({{"NODE"}, {"GPUS", true}, {"NOTE"}});
  table.Add({"n1", "8"});
  table.Add({"a-long-name", "16", "für"});
  EXPECT_EQ(table.ToText(true, 0),
            "NODE         GPUS  NOTE\n"
            "n1              8\n"
            "a-long-name    16  für\n");
  EXPECT_EQ(table.ToText(false, 0),
            "n1            8\n"
            "a-long-name  16  für\n");
}

TEST_F(TableTest, WithoutRowsThereIsNoText) { EXPECT_EQ(Table({{"NODE"}}).ToText(true, 0), ""); }

TEST_F(TableTest, RowsBelowOthersAreDrawnAsATree) {
  Table table({{"NAME", false, true}, {"N"}});
  const int rack = table.Add({"rack", "1"});
  const int node = table.Add({"node", "2"}, rack);
  table.Add({"gpu", "3"}, node);
  table.Add({"other", "4"}, rack);
  table.Add({"rack2", "5"});
  EXPECT_EQ(table.ToText(false, 0),
            "rack     1\n"
            "├─node   2\n"
            "│ └─gpu  3\n"
            "└─other  4\n"
            "rack2    5\n");
}

TEST_F(TableTest, ColumnsThatAreCutGiveWayTheWidestFirst) {
  Table table({{"ID"}, {"NAME", false, false, true}, {"WHO", false, false, true}, {"N"}});
  table.Add({"17", "a-very-long-name-of-a-job", "administrator", "1"});
  EXPECT_EQ(table.ToText(false, 30), "17  a-very-lo…  administra…  1\n");
  EXPECT_EQ(table.ToText(false, 10), "17  a-very-…  adminis…  1\n") << "not below eight columns";
}

TEST_F(TableTest, TheLastColumnContinuesOnFurtherLines) {
  Table table({{"ID"}, {"NOTE", false, false, true}});
  table.Add({"17", "waits for two GPUs of one node, of which one is free"});
  table.Add({"18", "runs"});
  EXPECT_EQ(table.ToText(true, 30),
            "ID  NOTE\n"
            "17  waits for two GPUs of one\n"
            "    node, of which one is free\n"
            "18  runs\n");
}

TEST_F(TableTest, WhereTheLastColumnWouldBeTooNarrowItStandsBelowItsRow) {
  Table table({{"ID"}, {"STATE"}, {"WHERE"}, {"NOTE", false, false, true}});
  table.Add({"17", "QUEUED", "–", "waits for two GPUs of one node, of which one is free"});
  table.Add({"18", "RUNNING", "dgx-1[0-7]"});
  EXPECT_EQ(table.ToText(true, 40),
            "ID  STATE    WHERE\n"
            "17  QUEUED   –\n"
            "    waits for two GPUs of one node, of\n"
            "    which one is free\n"
            "18  RUNNING  dgx-1[0-7]\n");
}

TEST_F(TableTest, AShortLastColumnStaysInItsRow) {
  Table table({{"ID"}, {"WHERE"}, {"NOTE", false, false, true}});
  table.Add({"17", "a-rather-long-name-of-a-node", "held"});
  EXPECT_EQ(table.ToText(false, 20), "17  a-rather-long-name-of-a-node  held\n");
}

TEST_F(TableTest, ATreeGoesOnBesideFurtherLines) {
  Table table({{"NAME", false, true}, {"NOTE", false, false, true}});
  const int node = table.Add({"node", "a note that is too long for one line"});
  table.Add({"gpu", "another note that is too long for it"}, node);
  table.Add({"gpu2", ""}, node);
  EXPECT_EQ(table.ToText(false, 34),
            "node    a note that is too long\n"
            "│       for one line\n"
            "├─gpu   another note that is too\n"
            "│       long for it\n"
            "└─gpu2\n");
  EXPECT_EQ(table.ToText(false, 28),
            "node\n"
            "│   a note that is too long\n"
            "│   for one line\n"
            "├─gpu\n"
            "│   another note that is too\n"
            "│   long for it\n"
            "└─gpu2\n");
}

TEST_F(TableTest, AWordThatIsWiderThanALineIsBroken) {
  Table table({{"ID"}, {"NOTE", false, false, true}});
  table.Add({"1", "GPU-0123456789abcdef-0123456789 x"});
  EXPECT_EQ(table.ToText(false, 27),
            "1  GPU-0123456789abcdef-012\n"
            "   3456789 x\n");
}

TEST_F(TableTest, WideCharactersTakeTwoColumns) {
  Table table({{"NAME"}, {"N"}});
  table.Add({"訓練", "1"});
  table.Add({"ab", "2"});
  EXPECT_EQ(table.ToText(false, 0), "訓練  1\nab    2\n");
}

TEST_F(TableTest, TextOfUsersDoesNotSteerTheTerminal) {
  Table table({{"NAME\x1b"}});
  table.Add({"a\x1b[2J\nb"});
  EXPECT_EQ(table.ToText(true, 0), "NAME\\x1b\na\\x1b[2J\\x0ab\n");
}

TEST_F(TableTest, CsvQuotesWhatNeedsIt) {
  Table table({{"NAME"}, {"NOTE"}});
  table.Add({"a", "x, \"y\""});
  EXPECT_EQ(*table.ToCsv({}), "NAME,NOTE\na,\"x, \"\"y\"\"\"\n");
}

TEST_F(TableTest, CsvHasValuesWithoutUnitsAndNothingWhereTheValueIsUnknown) {
  Table table({{"NAME"}, {"RUN"}, {.title = "PCI", .wide = true}});
  table.Add({"a", {"1m30s", 90}, "0000:1b"});
  table.Add({"b", {"0.5s", 0.5}, kDash});
  EXPECT_EQ(*table.ToCsv({}), "NAME,RUN,PCI\na,90,0000:1b\nb,0.5,\n");
}

TEST_F(TableTest, ColumnsAreLeftOutUntilTheRestFits) {
  Table table({{"ID"}, {.title = "USER", .drop = 1}, {.title = "PROJECT", .drop = 2}, {"STATE"}});
  table.Add({"17", "ana", "vision", "RUNNING"});
  EXPECT_EQ(table.ToText(true, 27), "ID  USER  PROJECT  STATE\n17  ana   vision   RUNNING\n");
  EXPECT_EQ(table.ToText(true, 25), "ID  USER  STATE\n17  ana   RUNNING\n");
  EXPECT_EQ(table.ToText(true, 12), "ID  STATE\n17  RUNNING\n");
  EXPECT_EQ(table.ToText(true, 5), "ID  STATE\n17  RUNNING\n") << "the others stay whole";
}

TEST_F(TableTest, WideColumnsAreShownWhereTheyAreAskedFor) {
  Table table({{"ID"}, {.title = "GPU-HOURS", .wide = true}});
  table.Add({"17", "3.5"});
  EXPECT_EQ(table.ToText(true, 0), "ID\n17\n");
  EXPECT_EQ(*table.ToText({.wide = true}), "ID  GPU-HOURS\n17  3.5\n");
  EXPECT_EQ(*table.ToText({.columns = {"gpu_hours", "id"}}), "GPU-HOURS  ID\n3.5        17\n");
  const auto unknown = table.ToText({.columns = {"gpuhours"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "no column \"gpuhours\"; did you mean gpu-hours?; columns: id,gpu-hours");
}

TEST_F(TableTest, ColumnsThatWereChosenAreNotLeftOut) {
  Table table({{"ID"}, {.title = "USER", .drop = 1}});
  table.Add({"17", "ana"});
  EXPECT_EQ(*table.ToText({.columns = {"id", "user"}, .headers = false, .width = 4}), "17  ana\n");
}

TEST_F(TableTest, RowsAreSortedByValueAndNumbersInTextsBySize) {
  Table table({{"JOB"}, {"RUN"}});
  table.Add({"job-10", {"2m", 120}});
  table.Add({"job-9", {"90s", 90}});
  table.Add({"job-8", kDash});
  const auto sorted = [&](const char* column) {
    return *table.ToText({.columns = {"job"}, .sort = column, .headers = false});
  };
  EXPECT_EQ(sorted("job"), "job-8\njob-9\njob-10\n");
  EXPECT_EQ(sorted("-JOB"), "job-10\njob-9\njob-8\n");
  EXPECT_EQ(sorted("run"), "job-9\njob-10\njob-8\n");
  EXPECT_EQ(sorted("-run"), "job-10\njob-9\njob-8\n") << "the unknown last";
  EXPECT_FALSE(table.ToText({.sort = "size"}));
}

TEST_F(TableTest, RowsBelowOthersAreNotSorted) {
  Table table({{"NAME", false, true}});
  table.Add({"gpu"}, table.Add({"node"}));
  EXPECT_EQ(table.ToText({.sort = "name"}).error().message, "rows below others keep their order");
}

TEST_F(TableTest, ColorsStandAroundTheTextAlone) {
  const auto red = [](std::string_view cell) -> std::string_view {
    return cell == "FAILED" ? "31" : "";
  };
  Table table({{"ID"}, {.title = "STATE", .color = red}, {"NOTE"}});
  table.Add({"1", "FAILED", "x"});
  table.Add({"2", "COMPLETED", "FAILED"});
  EXPECT_EQ(*table.ToText({.headers = false, .colors = true}),
            "1  \x1b[31mFAILED\x1b[0m     x\n2  COMPLETED  FAILED\n");
  EXPECT_EQ(table.ToText(false, 0), "1  FAILED     x\n2  COMPLETED  FAILED\n");
}

}  // namespace
}  // namespace gp
