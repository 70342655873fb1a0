// What the kernel answers to a reader that is late, interrupted or in a broken world.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <deque>

#include "adapters/outbound/kernel_log/kernel_log.h"
#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

struct Answer {
  int error = 0;
  std::string bytes;
};
std::deque<Answer> answers;
int reads = 0;

ssize_t Play(int, void* buffer, size_t size) {
  ++reads;
  const Answer answer = answers.empty() ? Answer{EAGAIN, {}} : answers.front();
  if (!answers.empty()) answers.pop_front();
  errno = answer.error;
  if (answer.error != 0) return -1;
  EXPECT_LE(answer.bytes.size(), size);
  std::memcpy(buffer, answer.bytes.data(), answer.bytes.size());
  return static_cast<ssize_t>(answer.bytes.size());
}

ssize_t PlayForEver(int, void* buffer, size_t) {
  ++reads;
  std::memcpy(buffer, "\n", 1);
  return 1;
}

ssize_t PlayInterrupted(int, void*, size_t) {
  ++reads;
  errno = EINTR;
  return -1;
}

Answer Record(int xid) {
  return {0, ByKernel("NVRM: Xid (PCI:0000:05:00): " + std::to_string(xid) + ", x\n")};
}

class ReadErrors : public testing::Test {
 protected:
  void SetUp() override {
    answers.clear();
    reads = 0;
  }
  // The file is not read: the answers are.
  static std::unique_ptr<KernelLog> Open(KernelLog::ReadCall call) {
    auto log = KernelLog::Open("/etc/passwd", false, call);
    EXPECT_TRUE(log.has_value()) << log.error().message;
    return std::move(*log);
  }
  static std::vector<int> Take(KernelLog& log) {
    std::vector<int> numbers;
    for (const KernelXid& one : log.Take()) numbers.push_back(one.xid);
    return numbers;
  }
};

TEST_F(ReadErrors, OverwrittenRecordsAreToldOnceAndTheRestIsRead) {
  const auto log = Open(Play);
  answers = {Record(31), {EPIPE, {}}, Record(45), {EPIPE, {}}, Record(79)};
  EXPECT_EQ(Take(*log), (std::vector{31, 45, 79}));
  EXPECT_TRUE(log->lost_records());
  EXPECT_FALSE(log->lost_records());
  answers = {Record(13)};
  EXPECT_EQ(Take(*log), std::vector{13});
  EXPECT_FALSE(log->lost_records());
}

TEST_F(ReadErrors, ARecordTooLargeForTheBufferIsLost) {
  const auto log = Open(Play);
  answers = {{EINVAL, {}}, Record(79)};
  EXPECT_EQ(Take(*log), std::vector{79});
  EXPECT_TRUE(log->lost_records());
}

TEST_F(ReadErrors, AnInterruptedReadIsTriedAgain) {
  const auto log = Open(Play);
  answers = {{EINTR, {}}, Record(79)};
  EXPECT_EQ(Take(*log), std::vector{79});
  EXPECT_FALSE(log->lost_records());
}

TEST_F(ReadErrors, OtherErrorsEndTheRead) {
  for (const int error : {EAGAIN, EIO, EBADF, EPERM}) {
    const auto log = Open(Play);
    answers = {Record(31), {error, {}}, Record(79)};
    EXPECT_EQ(Take(*log), std::vector{31}) << error;
    EXPECT_EQ(Take(*log), std::vector{79}) << error;
    EXPECT_FALSE(log->lost_records()) << error;
  }
}

TEST_F(ReadErrors, AFloodCannotHoldTheCaller) {
  for (const auto call : {PlayForEver, PlayInterrupted}) {
    reads = 0;
    const auto log = Open(call);
    EXPECT_TRUE(log->Take().empty());
    EXPECT_LE(reads, 100'000);
  }
}

}  // namespace
}  // namespace gp
