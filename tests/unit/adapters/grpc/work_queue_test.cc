#include "adapters/inbound/grpc/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

namespace gp {
namespace {

TEST(WorkQueue, DoesAllThatIsAddedInOrder) {
  WorkQueue queue(1);
  std::vector<int> done;
  std::promise<void> all;
  for (int i = 0; i < 100; ++i) queue.Add([&done, i] { done.push_back(i); });
  queue.Add([&all] { all.set_value(); });
  all.get_future().wait();
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

// The work that is under way when it ends is finished; what waits is dropped.
TEST(WorkQueue, EndsWithoutWhatHasNotBegun) {
  std::atomic<int> done = 0;
  std::promise<void> begun;
  std::promise<void> goes_on;
  auto queue = std::make_unique<WorkQueue>(1);
  queue->Add([&] {
    begun.set_value();
    goes_on.get_future().wait();
    ++done;
  });
  for (int i = 0; i < 10; ++i) queue->Add([&] { ++done; });
  begun.get_future().wait();
  auto ended = std::async(std::launch::async, [&] { queue.reset(); });
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  goes_on.set_value();
  ended.wait();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace gp
