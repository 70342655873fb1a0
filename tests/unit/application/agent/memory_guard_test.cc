#include "application/agent/memory_guard.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int kGpu = 3;

GpuPart Granted(int64_t memory_mib) { return {.gpu = kGpu, .uuid = "", .memory_mib = memory_mib}; }

class Guard : public testing::Test {
 protected:
  // What ana's two attempts use, of 2000 MiB each.
  std::vector<MemoryOveruse> Read(int64_t one, int64_t other) {
    return guard_.Read(kGpu, {{"one", one}, {"other", other}},
                       {{"one", Granted(2'000)}, {"other", Granted(2'000)}});
  }
  MemoryGuard guard_{{.tolerance_mib = 100, .readings = 3}};
};

TEST_F(Guard, TheThirdReadingInARowFindsWhoUsesTooMuch) {
  EXPECT_TRUE(Read(2'101, 2'100).empty());
  EXPECT_TRUE(Read(2'101, 2'100).empty());
  const auto found = Read(5'000, 2'100);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (MemoryOveruse{"one", Granted(2'000), 5'000}));
  EXPECT_EQ(ToText(found[0]),
            "used 5000 MiB of the memory of GPU 3, of which it was granted 2000 MiB");
}

TEST_F(Guard, AReadingWithinTheGrantBeginsTheCountAgain) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(Read(2'101, 0).empty());
    EXPECT_TRUE(Read(2'101, 0).empty());
    EXPECT_TRUE(Read(2'100, 0).empty());
  }
}

TEST_F(Guard, AnAttemptThatIsGoneIsForgotten) {
  Read(2'101, 0);
  Read(2'101, 0);
  EXPECT_TRUE(guard_.Read(kGpu, {}, {}).empty());
  EXPECT_TRUE(Read(2'101, 0).empty());
}

TEST_F(Guard, GpusAreCountedApart) {
  Read(2'101, 0);
  Read(2'101, 0);
  EXPECT_TRUE(
      guard_.Read(4, {{"one", 9'000}}, {{"one", {.gpu = 4, .uuid = "", .memory_mib = 2'000}}})
          .empty());
  EXPECT_EQ(Read(2'101, 0).size(), 1u);
}

}  // namespace
}  // namespace gp
