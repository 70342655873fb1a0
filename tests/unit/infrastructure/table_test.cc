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
  table.Add({"17", "waits for two GPUs on one node"});
  table.Add({"18", "runs"});
  EXPECT_EQ(table.ToText(true, 16),
            "ID  NOTE\n"
            "17  waits for\n"
            "    two GPUs on\n"
            "    one node\n"
            "18  runs\n");
}

TEST_F(TableTest, AWordThatIsWiderThanALineIsBroken) {
  Table table({{"ID"}, {"NOTE", false, false, true}});
  table.Add({"1", "GPU-0123456789abcdef x"});
  EXPECT_EQ(table.ToText(false, 12),
            "1  GPU-01234\n"
            "   56789abcd\n"
            "   ef x\n");
}

TEST_F(TableTest, WideCharactersTakeTwoColumns) {
  Table table({{"NAME"}, {"N"}});
  table.Add({"訓練", "1"});
  table.Add({"ab", "2"});
  EXPECT_EQ(table.ToText(false, 0), "訓練  1\nab    2\n");
}

TEST_F(TableTest, TextOfUsersDoesNotSteerTheTerminal) {
  Table table({{"NAME"}});
  table.Add({"a\x1b[2J\nb"});
  EXPECT_EQ(table.ToText(false, 0), "a\\x1b[2J\\x0ab\n");
}

TEST_F(TableTest, CsvQuotesWhatNeedsIt) {
  Table table({{"NAME"}, {"NOTE"}});
  table.Add({"a", "x, \"y\""});
  EXPECT_EQ(table.ToCsv(), "NAME,NOTE\na,\"x, \"\"y\"\"\"\n");
}

}  // namespace
}  // namespace gp
