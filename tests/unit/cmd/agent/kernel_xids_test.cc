#include "cmd/agent/kernel_xids.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace gp {
namespace {

TEST(KernelXids, BusesAreNamedInSeveralWays) {
  EXPECT_TRUE(IsSameBus("0000:1B:00", "00000000:1B:00.0"));
  EXPECT_TRUE(IsSameBus("0000:1b:00.0", "00000000:1B:00.0"));
  EXPECT_TRUE(IsSameBus("0001:0A:00", "00000001:0A:00.0"));
  EXPECT_FALSE(IsSameBus("0000:1B:00", "00000000:1C:00.0"));
  EXPECT_FALSE(IsSameBus("0001:1B:00", "00000000:1B:00.0"));
  EXPECT_FALSE(IsSameBus("0000:10:00", "0000:01:00"));
  EXPECT_FALSE(IsSameBus("", "0000:01:00"));
}

TEST(KernelXids, AProcessOfNobodyHasNoLease) {
  EXPECT_EQ(LeaseOfProcess(getpid()).value, 0U);
  EXPECT_EQ(LeaseOfProcess(0).value, 0U);
  EXPECT_EQ(LeaseOfProcess(2'000'000'000).value, 0U);
}

TEST(KernelXids, LinesOfThisNodesGpusAreTaken) {
  char path[] = "/tmp/kernel-xids-XXXXXX";
  close(mkstemp(path));
  auto log = KernelLog::Open(path);
  ASSERT_TRUE(log);
  std::ofstream(path, std::ios::app)
      << "4,1,1,-;NVRM: Xid (PCI:0000:1b:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
      << "4,2,2,-;NVRM: Xid (PCI:0000:99:00): 79, pid=1, name=x, GPU has fallen off the bus.\n"
      << "12,3,3,-;NVRM: Xid (PCI:0000:1b:00): 48, pid=1, name=x, forged\n";
  const auto seen = TakeKernelXids(
      **log, {"00000000:1A:00.0", "00000000:1B:00.0"},
      [](int gpu, int instance) { return LeaseId{static_cast<uint64_t>(gpu * 10 + instance)}; });
  std::remove(path);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].gpu, 1);
  EXPECT_EQ(seen[0].xid, 79);
  EXPECT_EQ(seen[0].source, XidSource::kKernelLog);
  EXPECT_EQ(seen[0].lease.value, 0U);
}

}  // namespace
}  // namespace gp
