#include "adapters/outbound/objects/transfer_process.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "adapters/outbound/objects/transfer_task.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/objects/object_store.h"

namespace gp {
namespace {

class TransferProcessTest : public testing::Test {
 protected:
  // What the process prints for this standard input.
  std::string Run(const std::string& input, int expected_code) {
    const std::string in = scratch_.Write("input", input);
    const std::string out = scratch_.In("output");
    std::FILE* from = std::fopen(in.c_str(), "r");
    std::FILE* to = std::fopen(out.c_str(), "w");
    const ObjectStore::Settled settled(store_);
    const int code = TransferProcess(from, to, [] { return Ok(); });
    std::fclose(from);
    std::fclose(to);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    EXPECT_EQ(code, expected_code);
    return scratch_.Read("output");
  }

  TransferTask Task(const std::string& url) const {
    TransferTask task{.url = url,
                      .directory = scratch_.In("data"),
                      .credentials = store_.secret(),
                      .bytes_max = 1'000,
                      .allowed_addresses = {"127.0.0.0/8"}};
    task.stall = Duration::Milliseconds(200);
    return task;
  }

  void SetUp() override { std::filesystem::create_directory(scratch_.In("data")); }

  const Scratch scratch_;
  ObjectStore store_;
};

TEST_F(TransferProcessTest, PrintsProgressAndAnAnswer) {
  store_.objects = {{"set/a", "x"}};
  const std::string printed = Run(TaskText(Task("s3://data/set")), 0);
  EXPECT_TRUE(printed.starts_with("progress 1 1 1\n{")) << printed;
  const auto report = ReadTransferAnswer(printed);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 1);
  EXPECT_EQ(scratch_.Read("data/a"), "x");

  TransferTask back = Task("s3://data/back");
  back.kind = TransferTask::Kind::kPut;
  EXPECT_TRUE(ReadTransferAnswer(Run(TaskText(back), 0)));
  EXPECT_EQ(store_.objects["back/a"], "x");
}

// The server says what it has received.
TEST_F(TransferProcessTest, NoSecretIsPrinted) {
  store_.first = [](Peer& peer, const ObjectStore::Heard&) {
    peer.Respond("403 Forbidden", "", "<Error><Code>SECRETKEY</Code></Error>");
    return true;
  };
  const std::string printed = Run(TaskText(Task("s3://data/set")), 1);
  EXPECT_FALSE(printed.contains("SECRETKEY")) << printed;
  EXPECT_FALSE(printed.contains("AKEY")) << printed;
  const auto report = ReadTransferAnswer(printed);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(report.error().message.starts_with("s3://data/set: ")) << report.error().message;
}

TEST_F(TransferProcessTest, ServersWithoutTlsMustBeListed) {
  store_.objects = {{"set/a", "x"}};
  TransferTask task = Task("s3://data/set");
  task.allowed_addresses.clear();
  const auto refused = ReadTransferAnswer(Run(TaskText(task), 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(refused.error().message.contains("without TLS")) << refused.error().message;
  EXPECT_TRUE(store_.log.empty());
}

TEST_F(TransferProcessTest, WrongTasksAreAnswered) {
  TransferTask task = Task("ftp://x");
  EXPECT_EQ(ReadTransferAnswer(Run(TaskText(task), 1)).error().code, ErrorCode::kInvalidArgument);
  task = Task("s3://data/x");
  task.sha256 = "abc";
  EXPECT_EQ(ReadTransferAnswer(Run(TaskText(task), 1)).error().code, ErrorCode::kInvalidArgument);
  task = Task("s3://data/x");
  task.directory = "/nonexistent";
  EXPECT_EQ(ReadTransferAnswer(Run(TaskText(task), 1)).error().code, ErrorCode::kNotFound);
  for (const char* text : {"", "{}", "[", "{\"kind\":\"x\"}"})
    EXPECT_FALSE(ReadTransferAnswer(Run(text, 1))) << text;
}

TEST(TransferTask, IsReadAsItWasWritten) {
  const TransferTask task{.kind = TransferTask::Kind::kPut,
                          .url = "s3://data/x",
                          .directory = "/d",
                          .include = {"*.bin"},
                          .sha256 = "ab",
                          .credentials = "{\"a\":\"b\"}\n",
                          .bytes_max = 7,
                          .create_only = true,
                          .allowed_addresses = {"10.0.0.0/8"},
                          .authorities = "/ca",
                          .objects_at_once = 2,
                          .stall = Duration::Seconds(9)};
  EXPECT_EQ(*ReadTask(TaskText(task)), task);
  EXPECT_FALSE(ReadTransferAnswer("progress 1 2 3\n"));
  EXPECT_FALSE(ReadTransferAnswer("{\"digest\":\"x\"}\n"));
  EXPECT_FALSE(ReadTransferAnswer(""));
  const auto progress = ReadProgress("progress 1 2 3");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->total_bytes, 2);
  for (const char* line : {"progress 1 2", "progress a b c", "progress -1 2 3", ""})
    EXPECT_FALSE(ReadProgress(line)) << line;
}

}  // namespace
}  // namespace gp
