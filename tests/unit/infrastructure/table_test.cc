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
  EXPECT_EQ(table.ToCsv(), "NAME,NOTE\na,\"x, \"\"y\"\"\"\n");
}

}  // namespace
}  // namespace gp
