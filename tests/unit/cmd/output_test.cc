#include "cmd/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "infrastructure/table.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

class OutputTest : public ::testing::Test {
 protected:
  // As main does it.
  void Parse(std::vector<std::string> words) {
    CLI::App app;
    output_.AddTo(app);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  }
  std::string Printed(const nlohmann::ordered_json& document) {
    testing::internal::CaptureStdout();
    printed_ = output_.PrintDocument(document);
    return testing::internal::GetCapturedStdout();
  }
  std::string Printed(const Table& table) {
    testing::internal::CaptureStdout();
    output_.PrintTable(table);
    return testing::internal::GetCapturedStdout();
  }

  Output output_;
  bool printed_ = false;
};

TEST_F(OutputTest, TextForPeopleCannotSteerTheTerminal) {
  testing::internal::CaptureStdout();
  Output::PrintText("job \x1b[2J\r\nwaits\n\nfor GPUs");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "job \\x1b[2J\\x0d\nwaits\n\nfor GPUs");
}

TEST_F(OutputTest, TablesAreTheDefaultAndDocumentsAreNotPrintedThen) {
  EXPECT_FALSE(output_.WantsDocument());
  EXPECT_EQ(Printed(nlohmann::ordered_json{{"a", 1}}), "");
  EXPECT_FALSE(printed_);
}

TEST_F(OutputTest, DocumentsAreJsonOrYaml) {
  const nlohmann::ordered_json document{{"b", 1}, {"a", {true, nullptr}}};
  Parse({"--json"});
  EXPECT_EQ(nlohmann::ordered_json::parse(Printed(document)), document);
  EXPECT_TRUE(printed_);
  output_ = Output();
  Parse({"-o", "json"});
  EXPECT_EQ(nlohmann::ordered_json::parse(Printed(document)), document);
  EXPECT_LT(Printed(document).find("\"b\""), Printed(document).find("\"a\"")) << "in their order";
  output_ = Output();
  Parse({"--output=yaml"});
  EXPECT_THAT(Printed(document), HasSubstr("b: 1\n"));
}

TEST_F(OutputTest, TextThatIsNoUtf8DoesNotEndTheProgram) {
  Parse({"--json"});
  EXPECT_THAT(Printed(nlohmann::ordered_json{{"name",
                                              "a\xff"
                                              "b"}}),
              HasSubstr("a\uFFFDb"));
}

TEST_F(OutputTest, TablesMayLackTheirHeaders) {
  Table table({{"A"}, {"B"}});
  table.Add({"1", "two, three"});
  Parse({"-o", "csv"});
  EXPECT_EQ(Printed(table), "A,B\n1,\"two, three\"\n");
  Parse({"-o", "csv", "--no-headers"});
  EXPECT_EQ(Printed(table), "1,\"two, three\"\n");
}

TEST_F(OutputTest, AFormatThatACommandDoesNotOfferIsAUsageErrorWithThoseThatItDoes) {
  Parse({"-o", "csv"});
  testing::internal::CaptureStderr();
  EXPECT_FALSE(output_.Offers({"table", "wide"}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: --output csv: this command offers table, wide, json and yaml\n");
  EXPECT_EQ(output_.exit_code, kExitUsage);
  output_ = Output();
  Parse({"-o", "yaml"});
  EXPECT_TRUE(output_.Offers({"table"})) << "documents are always offered";
  EXPECT_EQ(output_.exit_code, kExitOk);
}

TEST_F(OutputTest, AnUnknownFormatIsRefused) {
  EXPECT_THROW(Parse({"-o", "xml"}), CLI::ValidationError);
}

TEST_F(OutputTest, MessagesGoToStandardErrorAndQuietSilencesThemButNoError) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  output_.Say("queued");
  output_.Complain(NotFound("no job"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "» queued\nerror: no job\n");
  Parse({"-q"});
  testing::internal::CaptureStderr();
  output_.Say("queued");
  output_.Complain(NotFound("no job"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: no job\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_F(OutputTest, EachErrorHasTheExitCodeOfTheReference) {
  const std::pair<ErrorCode, int> cases[] = {
      {ErrorCode::kInternal, 1},          {ErrorCode::kInvalidArgument, 2},
      {ErrorCode::kNotFound, 3},          {ErrorCode::kConflict, 4},
      {ErrorCode::kPermissionDenied, 5},  {ErrorCode::kUnauthenticated, 5},
      {ErrorCode::kResourceExhausted, 6}, {ErrorCode::kDeadlineExceeded, 7},
      {ErrorCode::kUnavailable, 8},       {ErrorCode::kUnsupported, 1}};
  for (const auto& [code, exit_code] : cases) {
    testing::internal::CaptureStderr();
    output_.Complain({code, "why"});
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(output_.exit_code, exit_code) << ErrorCodeName(code);
  }
}

}  // namespace
}  // namespace gp
