#include "cmd/connection/http_address.h"

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

TEST(HttpAddress, ComesBackAsItWasKeptUntilItIsForgotten) {
  const Scratch run;
  EXPECT_EQ(ReadHttpAddress(run.path()), std::nullopt);
  ASSERT_TRUE(KeepHttpAddress(run.path(), "http://127.0.0.1:8080").has_value());
  EXPECT_EQ(ReadHttpAddress(run.path()), "http://127.0.0.1:8080");
  ForgetHttpAddress(run.path());
  EXPECT_EQ(ReadHttpAddress(run.path()), std::nullopt);
  ForgetHttpAddress(run.path());
}

TEST(HttpAddress, AFileWithoutALineBreakIsReadToo) {
  const Scratch run;
  run.Write("http-address", "https://host:1");
  EXPECT_EQ(ReadHttpAddress(run.path()), "https://host:1");
  run.Write("http-address", "\n");
  EXPECT_EQ(ReadHttpAddress(run.path()), "");
}

}  // namespace
}  // namespace gp
