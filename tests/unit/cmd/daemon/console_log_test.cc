#include "cmd/daemon/console_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gp {
namespace {

using ::testing::EndsWith;

std::string Written(std::optional<LogFormat> format, bool quiet, LogLevel level,
                    const std::string& text) {
  testing::internal::CaptureStderr();
  ConsoleLog(format, quiet).Write(level, text);
  return testing::internal::GetCapturedStderr();
}

TEST(ConsoleLog, AsTextTheLevelIsAWord) {
  for (const std::optional<LogFormat> format : {std::optional<LogFormat>(), {LogFormat::kText}}) {
    EXPECT_EQ(Written(format, false, LogLevel::kInfo, "it runs"), "» it runs\n");
    EXPECT_EQ(Written(format, false, LogLevel::kWarning, "no disk"), "» warning: no disk\n");
    EXPECT_EQ(Written(format, false, LogLevel::kError, "it failed"), "error: it failed\n");
  }
}

TEST(ConsoleLog, AsJsonAMessageIsAnEvent) {
  const std::string line = Written(LogFormat::kJson, false, LogLevel::kWarning, "a \"b\"\n\x01");
  EXPECT_THAT(line, EndsWith("}\n"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << "one line, whatever the message contains";
  const auto event = nlohmann::json::parse(line);
  EXPECT_EQ(event["event"], "said");
  EXPECT_EQ(event["message"], "a \"b\"\n\x01");
  EXPECT_EQ(event["level"], Name(LogLevel::kWarning));
}

TEST(ConsoleLog, QuietLeavesErrorsAlone) {
  for (const std::optional<LogFormat> format :
       {std::optional<LogFormat>(), {LogFormat::kText}, {LogFormat::kJson}}) {
    EXPECT_EQ(Written(format, true, LogLevel::kInfo, "it runs"), "");
    EXPECT_EQ(Written(format, true, LogLevel::kWarning, "no disk"), "");
    EXPECT_NE(Written(format, true, LogLevel::kError, "it failed"), "");
  }
}

TEST(ConsoleLog, NothingGoesToStandardOutput) {
  testing::internal::CaptureStdout();
  for (const LogLevel level : {LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError})
    Written(LogFormat::kText, false, level, "text");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace gp
