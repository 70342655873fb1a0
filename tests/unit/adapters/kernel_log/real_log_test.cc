// The kernel's own log.  Lines of a test carry an address that no machine has and a harmless
// number, because other programs of the host may read them, and believe them.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/outbound/kernel_log/kernel_log.h"

namespace gp {
namespace {

constexpr const char* kBusId = "FFFF:FE:1F";

class RealLogTest : public testing::Test {
 protected:
  void SetUp() override {
    writer_ = open(kKernelLogPath, O_WRONLY | O_CLOEXEC);
    if (writer_ < 0) {
      GTEST_SKIP() << kKernelLogPath << " cannot be written (needs root): " << std::strerror(errno)
                   << ": nothing was tried against a real kernel";
    }
    believing_ = Open(true);
    doubting_ = Open(false);
  }
  void TearDown() override {
    if (writer_ >= 0) close(writer_);
  }
  static std::unique_ptr<KernelLog> Open(bool accept_user) {
    auto log = KernelLog::Open(kKernelLogPath, accept_user);
    EXPECT_TRUE(log.has_value()) << log.error().message;
    return log ? std::move(*log) : nullptr;
  }
  bool Write(const std::string& text) const {
    return write(writer_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  // Those of this test; others may write as well.
  static std::vector<KernelXid> Ours(std::vector<KernelXid> found) {
    std::erase_if(found, [](const KernelXid& one) { return one.bus_id != kBusId; });
    return found;
  }

  int writer_ = -1;
  std::unique_ptr<KernelLog> believing_;
  std::unique_ptr<KernelLog> doubting_;
};

TEST_F(RealLogTest, AForgedLineIsSeenOnlyByWhoAsksForIt) {
  const std::string text =
      "NVRM: Xid (PCI:ffff:fe:1f): 31, pid=4711, name=kernel_log_test, written by a test";
  for (const std::string prefix : {"", "<3>", "<7>", "<11>"}) {
    ASSERT_TRUE(Write(prefix + text + "\n")) << std::strerror(errno);
    pollfd event{believing_->EventDescriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&event, 1, 0), 1) << prefix;
    const auto seen = Ours(believing_->Take());
    ASSERT_EQ(seen.size(), 1u) << prefix;
    EXPECT_EQ(seen[0].xid, 31);
    EXPECT_EQ(seen[0].pid, 4711);
    EXPECT_EQ(seen[0].text, text);
    EXPECT_TRUE(Ours(doubting_->Take()).empty()) << prefix;
  }
}

TEST_F(RealLogTest, ALineBreakBeginsNoRecord) {
  ASSERT_TRUE(Write("x\nNVRM: Xid (PCI:ffff:fe:1f): 31, a\nNVRM: Xid (PCI:ffff:fe:1f): 31, b\n"));
  ASSERT_TRUE(Write("NVRM: Xid (PCI:ffff:fe:1f): 31, \\x0a\n\\\x01, written by a test\n"));
  const auto seen = Ours(believing_->Take());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].xid, 31);
  EXPECT_EQ(seen[0].text,
            "NVRM: Xid (PCI:ffff:fe:1f): 31, \\x5cx0a\\x0a\\x5c\\x01, written by a test");
}

}  // namespace
}  // namespace gp
