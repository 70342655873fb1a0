#include "adapters/outbound/etcd/call_watch.h"

#include <gtest/gtest.h>

#include <future>

namespace gp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct CallWatchTest : testing::Test {
  bool IsStuckWithin(milliseconds time) {
    return future.wait_for(time) == std::future_status::ready;
  }
  std::promise<void> stuck;
  std::future<void> future = stuck.get_future();
};

TEST_F(CallWatchTest, ACallThatDoesNotEndIsNoticedOnce) {
  CallWatch watch(milliseconds(50), [this] { stuck.set_value(); });
  const CallWatch::Call first(watch);
  const CallWatch::Call second(watch);
  EXPECT_TRUE(IsStuckWithin(seconds(10)));
}

TEST_F(CallWatchTest, ManyCallsThatEndAreNone) {
  CallWatch watch(milliseconds(400), [this] { stuck.set_value(); });
  const auto until = std::chrono::steady_clock::now() + milliseconds(900);
  while (std::chrono::steady_clock::now() < until) {
    const CallWatch::Call one(watch);
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_FALSE(IsStuckWithin(milliseconds(0)));
}

TEST_F(CallWatchTest, NobodyNeedsToBeNotified) {
  CallWatch watch(milliseconds(1), {});
  const CallWatch::Call call(watch);
}

}  // namespace
}  // namespace gp
