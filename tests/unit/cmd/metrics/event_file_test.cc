#include "cmd/metrics/event_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string_view>

#include "base/text.h"

namespace gp {
namespace {

std::string Hex(std::string_view bytes) {
  return ToHex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

// The bytes are those that another implementation of the format, in another language, writes:
// tests/integration/live/metrics_test.py reads files with it.
TEST(EventFile, BeginsWithItsVersion) {
  EXPECT_EQ(Hex(EventFileHead(1'700'000'000.5)),
            "1800000000000000a37f4b22"
            "0900002040fc54d9411a0d627261696e2e4576656e743a32"
            "2b353110");
}

TEST(EventFile, AScalar) {
  EXPECT_EQ(Hex(ToRecord({1'700'000'001.25, 1200, "train/loss", 0.5F})),
            "2100000000000000017becf6"
            "0900005040fc54d94110b0092a130a110a0a747261696e2f6c6f7373150000003f"
            "31d5663e");
}

TEST(EventFile, StepZeroIsLeftOutAndLargeStepsFit) {
  EXPECT_EQ(Hex(ToRecord({1, 0, "a", 0})),
            "1500000000000000d6ab6b2b"
            "09000000000000f03f2a0a0a080a01611500000000"
            "312d4dd5");
  EXPECT_EQ(Hex(ToRecord({1, int64_t{1} << 60, "a", -1})),
            "1f00000000000000514b4418"
            "09000000000000f03f108080808080808080102a0a0a080a016115000080bf"
            "4b8afd93");
}

TEST(EventFile, WhatIsNotFiniteIsKept) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Hex(ToRecord({1, 1, "a", std::numeric_limits<float>::quiet_NaN()})),
            "1700000000000000e7cef81e"
            "09000000000000f03f10012a0a0a080a0161150000c07f"
            "b2213f7a");
  EXPECT_EQ(Hex(ToRecord({1, 1, "a", kInfinity})),
            "1700000000000000e7cef81e"
            "09000000000000f03f10012a0a0a080a0161150000807f"
            "cdb338fe");
  EXPECT_EQ(Hex(ToRecord({1, 1, "a", -kInfinity})),
            "1700000000000000e7cef81e"
            "09000000000000f03f10012a0a0a080a016115000080ff"
            "f1b7c7cf");
}

}  // namespace
}  // namespace gp
