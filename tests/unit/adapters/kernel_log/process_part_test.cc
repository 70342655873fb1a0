#include "adapters/outbound/kernel_log/process_part.h"

#include <gtest/gtest.h>

#include <string>

namespace gp {
namespace {

struct ProcessRow {
  const char* rest;
  std::optional<int> pid;
  const char* name;
  const char* message;
};

TEST(ProcessPart, IsCutFromTheMessage) {
  for (const ProcessRow& row : std::initializer_list<ProcessRow>{
           {"GPU has fallen off the bus.", {}, "", "GPU has fallen off the bus."},
           {"", {}, "", ""},
           {"pid=5, Ch 00000001", 5, "", "Ch 00000001"},
           {"pid=5, name=python3, Ch 00000001, intr 0", 5, "python3", "Ch 00000001, intr 0"},
           {"pid=5, name=x: 79, y, Ch 00000001, intr 0", 5, "x: 79, y", "Ch 00000001, intr 0"},
           {"pid=5, name=x: 79, y, Row Remapper", 5, "x: 79, y", "Row Remapper"},
           {"pid=5, name=python3, ", 5, "python3", ""},
           {"pid=5, name=python3", 5, "python3", ""},
           {"pid=5, name=", 5, "", ""},
           {"pid=5, ", 5, "", ""},
           {"pid=5", 5, "", ""},
           {"pid=", {}, "", ""},
           {"pid='<unknown>', name=<unknown>, x", {}, "", "x"},
       }) {
    const ProcessPart part = ReadProcessPart(row.rest);
    EXPECT_EQ(part.pid, row.pid) << row.rest;
    EXPECT_EQ(part.name, row.name) << row.rest;
    EXPECT_EQ(part.message, row.message) << row.rest;
  }
}

TEST(ProcessPart, AMessageLosesItsBeginningRatherThanToHoldAName) {
  const ProcessPart part = ReadProcessPart("pid=5, name=sh, Ch 00000001, intr 0");
  EXPECT_EQ(part.name, "sh");
  EXPECT_EQ(part.message, "intr 0");
}

TEST(ProcessPart, NamesHaveFifteenBytes) {
  EXPECT_EQ(ReadProcessPart("pid=5, name=123456789012345, x").message, "x");
  EXPECT_EQ(ReadProcessPart("pid=5, name=1234567890123456, x").message, "");
  EXPECT_EQ(ReadProcessPart("pid=5, name=1234567890123456, x").name, "123456789012345");
}

TEST(ProcessPart, AnEscapeIsOneByteOfAName) {
  const ProcessPart part = ReadProcessPart("pid=5, name=\\x5cx0a\\x0a, 4567890, x, y");
  EXPECT_EQ(part.name, "\\x5cx0a\\x0a, 4567890");
  EXPECT_EQ(part.message, "x, y");
}

TEST(ProcessPart, NoByteOfANameIsEverInTheMessage) {
  constexpr int kCombinations = 19'683;  // of three characters at nine places
  for (const size_t padding : {0, 6}) {
    for (int number = 0; number < kCombinations; ++number) {
      std::string name(padding, 'n');
      for (int left = number, i = 0; i < 9; ++i, left /= 3) name += ", n"[left % 3];
      const std::string rest = "pid=5, name=" + name + ", MESSAGE";
      ASSERT_EQ(ReadProcessPart(rest).message, "MESSAGE") << name;
    }
  }
}

}  // namespace
}  // namespace gp
