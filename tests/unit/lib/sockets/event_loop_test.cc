#include "lib/sockets/event_loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace gp {
namespace {

// Calls back with each event of a descriptor that is ready at once.
struct Ready : Watched {
  Descriptor descriptor{eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::function<void()> on_ready = [] {};
  std::function<void()> on_second = [] {};
  std::function<void()> on_end = [] {};
  bool has_ended = false;

  void OnReady(uint32_t) override { on_ready(); }
  void OnSecond() override { on_second(); }
  void OnEnd() override {
    has_ended = true;
    on_end();
  }
};

TEST(EventLoop, RunsWhatOtherThreadsPostInOrder) {
  EventLoop loop;
  std::vector<int> done;
  std::thread other([&] {
    for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(loop.Post([&done, i] { done.push_back(i); }));
    loop.Stop();
  });
  loop.Run();
  other.join();
  ASSERT_EQ(done.size(), 1'000U);
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_FALSE(loop.Post([] { FAIL() << "the loop has ended"; }));
}

TEST(EventLoop, RunsWhatWasPostedBeforeItsEnd) {
  EventLoop loop;
  bool is_done = false;
  loop.Stop();
  EXPECT_TRUE(loop.Post([&] { is_done = true; }));
  loop.Run();
  EXPECT_TRUE(is_done);
}

TEST(EventLoop, RunsWhatIsPostedWhileItEnds) {
  EventLoop loop;
  const auto ready = std::make_shared<Ready>();
  bool is_done = false;
  ready->on_ready = [&] { loop.Stop(); };
  ready->on_end = [&] { EXPECT_TRUE(loop.Post([&] { is_done = true; })); };
  ASSERT_TRUE(loop.Watch(ready->descriptor.get(), EPOLLIN, ready));
  loop.Run();
  EXPECT_TRUE(is_done);
}

TEST(EventLoop, CallsWhatIsReadyUntilItIsForgotten) {
  EventLoop loop;
  const auto ready = std::make_shared<Ready>();
  int times = 0;
  ready->on_ready = [&] {
    if (++times < 3) return;
    loop.Forget(ready->descriptor.get());
    loop.Stop();
  };
  ASSERT_TRUE(loop.Watch(ready->descriptor.get(), EPOLLIN, ready));
  loop.Run();
  EXPECT_EQ(times, 3);
  EXPECT_FALSE(ready->has_ended);
}

TEST(EventLoop, CallsNothingThatAnEarlierEventHasEnded) {
  EventLoop loop;
  const std::vector<std::shared_ptr<Ready>> both = {std::make_shared<Ready>(),
                                                    std::make_shared<Ready>()};
  int called = 0;
  for (size_t i = 0; i < 2; ++i) {
    both[i]->on_ready = [&, i] {
      ++called;
      for (const size_t one : {i, 1 - i}) loop.Forget(both[one]->descriptor.get());
      loop.Stop();
    };
    ASSERT_TRUE(loop.Watch(both[i]->descriptor.get(), EPOLLIN, both[i]));
  }
  loop.Run();
  EXPECT_EQ(called, 1);
}

TEST(EventLoop, SaysThatItHasCaughtUpAlsoWhereNothingComes) {
  EventLoop loop;
  int times = 0;
  loop.WhenCaughtUp([&] {
    if (++times == 3) loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(times, 3);
}

TEST(EventLoop, HasNotCaughtUpWhileSomethingIsLeft) {
  EventLoop loop;
  const auto ready = std::make_shared<Ready>();
  int left = 1'000;
  int seconds = 0;
  bool has_caught_up = false;
  loop.WhenCaughtUp([&] { has_caught_up = true; });
  ready->on_ready = [&] {
    loop.StayBehind();
    EXPECT_FALSE(has_caught_up);
    if (seconds > 0 && --left == 0) loop.Forget(ready->descriptor.get());
  };
  const auto end = std::make_shared<Ready>();
  end->on_ready = [&] { loop.Change(end->descriptor.get(), 0); };
  end->on_second = [&] {
    if (++seconds == 20 || has_caught_up) loop.Stop();
  };
  ASSERT_TRUE(loop.Watch(ready->descriptor.get(), EPOLLIN, ready));
  ASSERT_TRUE(loop.Watch(end->descriptor.get(), EPOLLIN, end));
  loop.Run();
  EXPECT_TRUE(has_caught_up);
}

TEST(EventLoop, ChangesWhatIsAwaited) {
  EventLoop loop;
  const auto ready = std::make_shared<Ready>();
  int times = 0;
  ready->on_ready = [&] {
    ++times;
    loop.Change(ready->descriptor.get(), 0);
  };
  ready->on_second = [&] { loop.Stop(); };
  ASSERT_TRUE(loop.Watch(ready->descriptor.get(), EPOLLIN, ready));
  loop.Run();
  EXPECT_EQ(times, 1);
  EXPECT_TRUE(ready->has_ended);
}

}  // namespace
}  // namespace gp
