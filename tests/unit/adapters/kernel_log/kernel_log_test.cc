#include "adapters/outbound/kernel_log/kernel_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/unit/adapters/kernel_log/records.h"

namespace gp {
namespace {

std::string Line(int xid) {
  return ByKernel("NVRM: Xid (PCI:0000:05:00): " + std::to_string(xid) + ", x") + "\n";
}

class KernelLogTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/kernel_log_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    path_ = directory_ + "/log";
  }
  void TearDown() override {
    if (writer_ >= 0) close(writer_);
    std::filesystem::remove_all(directory_);
  }

  std::unique_ptr<KernelLog> OpenFile(const std::string& before = "") {
    writer_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    Write(before);
    return OpenLog();
  }
  std::unique_ptr<KernelLog> OpenFifo() {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    auto log = OpenLog();
    writer_ = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return log;
  }
  void Write(const std::string& text) {
    ASSERT_EQ(write(writer_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::string directory_;
  std::string path_;

 private:
  std::unique_ptr<KernelLog> OpenLog() {
    auto log = KernelLog::Open(path_);
    EXPECT_TRUE(log.has_value()) << log.error().message;
    return std::move(*log);
  }
  int writer_ = -1;
};

std::vector<int> Numbers(const std::vector<KernelXid>& found) {
  std::vector<int> numbers;
  for (const KernelXid& one : found) numbers.push_back(one.xid);
  return numbers;
}

bool IsReadable(const KernelLog& log) {
  pollfd event{log.EventDescriptor(), POLLIN, 0};
  return poll(&event, 1, 0) == 1 && (event.revents & POLLIN) != 0;
}

TEST_F(KernelLogTest, TellsWhatTheDriverSaysBesideXids) {
  auto log = OpenFile();
  Write(
      ByKernel("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 28 LTSSM Fault Up") +
      "\n");
  Write(ByKernel("NVRM: The NVIDIA GPU 0000:53:00.0") + "\n" +
        ByKernel("NVRM: (PCI ID: 10de:2330) installed in this system has") + "\n" +
        ByKernel("NVRM: fallen off the bus and is not responding to commands.") + "\n");
  Write(ByKernel("NVRM: GPU 0000:54:00.0: RmInitAdapter failed! (0x26:0x56:1474)") + "\n");
  // A program may write what it likes.
  Write(ByProgram("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, x") + "\n" +
        ByProgram("NVRM: GPU 0000:54:00.0: RmInitAdapter failed!") + "\n");
  const auto found = log->Take();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, SignalKind::kFabric);
  EXPECT_EQ(found[0].xid, 20034);
  EXPECT_TRUE(found[0].is_fatal);
  EXPECT_EQ(found[1].kind, SignalKind::kLost);
  EXPECT_EQ(found[1].bus_id, "0000:53:00");
  EXPECT_EQ(found[2].kind, SignalKind::kLost);
  EXPECT_EQ(found[2].bus_id, "0000:54:00");
}

TEST_F(KernelLogTest, BeginsAtTheEnd) {
  const auto log = OpenFile(Line(31));
  EXPECT_TRUE(log->Take().empty());
  Write(Line(79) + Line(45));
  EXPECT_EQ(Numbers(log->Take()), (std::vector{79, 45}));
  EXPECT_TRUE(log->Take().empty());
  EXPECT_FALSE(log->lost_records());
}

TEST_F(KernelLogTest, LeavesOutWhatIsNoXid) {
  const auto log = OpenFile();
  Write("6,1,2,-;usb 1-1: new device\n SUBSYSTEM=usb\n\n" +
        ByProgram("NVRM: Xid (PCI:0000:05:00): 79, x") + "\n" + Line(13));
  EXPECT_EQ(Numbers(log->Take()), std::vector{13});
}

TEST_F(KernelLogTest, WaitsForTheEndOfALine) {
  const auto log = OpenFile();
  const std::string line = Line(119);
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    Write(line.substr(i, 1));
    ASSERT_TRUE(log->Take().empty()) << i;
  }
  Write("\n");
  EXPECT_EQ(Numbers(log->Take()), std::vector{119});
}

TEST_F(KernelLogTest, ALineOfAMegabyteIsSkipped) {
  const auto log = OpenFile();
  Write(Line(31) + std::string(1 << 20, 'x') + "\n" + Line(45));
  EXPECT_EQ(Numbers(log->Take()), (std::vector{31, 45}));
}

TEST_F(KernelLogTest, TheTailOfALongLineIsNoLine) {
  const auto log = OpenFile();
  Write(std::string(kKernelRecordBytesMax + 1, 'x'));
  EXPECT_TRUE(log->Take().empty());
  Write(Line(79) + Line(45));
  EXPECT_EQ(Numbers(log->Take()), std::vector{45});
}

TEST_F(KernelLogTest, ReadsManyAtOnce) {
  const auto log = OpenFile();
  std::string lines;
  for (int xid = 1; xid <= 20'000; ++xid) lines += Line(xid);
  Write(lines);
  const auto found = log->Take();
  ASSERT_EQ(found.size(), 20'000u);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(found[static_cast<size_t>(i)].xid, i + 1);
}

// It could always be read: who waited for that would never rest.
TEST_F(KernelLogTest, APlainFileIsReadableWhenSomethingWasWritten) {
  const auto log = OpenFile(Line(79));
  EXPECT_FALSE(IsReadable(*log));
  Write(Line(94));
  Write(Line(95));
  EXPECT_TRUE(IsReadable(*log));
  EXPECT_EQ(Numbers(log->Take()), (std::vector{94, 95}));
  EXPECT_FALSE(IsReadable(*log));
}

TEST_F(KernelLogTest, AFifoNeverBlocks) {
  const auto log = OpenFifo();
  EXPECT_TRUE(log->Take().empty());
  EXPECT_FALSE(IsReadable(*log));
  Write(Line(94) + Line(95));
  EXPECT_TRUE(IsReadable(*log));
  EXPECT_EQ(Numbers(log->Take()), (std::vector{94, 95}));
  EXPECT_FALSE(IsReadable(*log));
  EXPECT_TRUE(log->Take().empty());
}

TEST_F(KernelLogTest, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(KernelLog::Open(directory_ + "/none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(KernelLog::Open(directory_).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(KernelLog::Open("/dev/null").error().code, ErrorCode::kUnsupported);
  EXPECT_NE(KernelLog::Open("/dev/null").error().message.find("/dev/null"), std::string::npos);
}

}  // namespace
}  // namespace gp
