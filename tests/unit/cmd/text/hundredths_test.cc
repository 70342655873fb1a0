#include "cmd/text/hundredths.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(Hundredths, NothingHasNoSign) {
  EXPECT_EQ(Hundredths(-0.0), "0.00");
  EXPECT_EQ(Hundredths(-0.004), "0.00");
  EXPECT_EQ(Hundredths(0), "0.00");
}

TEST(Hundredths, WhatIsThereKeepsIt) {
  EXPECT_EQ(Hundredths(-0.006), "-0.01");
  EXPECT_EQ(Hundredths(1234.567), "1234.57");
}

}  // namespace
}  // namespace gp
