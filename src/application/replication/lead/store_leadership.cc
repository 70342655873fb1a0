#include "application/replication/lead/store_leadership.h"

#include <chrono>
#include <future>
#include <memory>

namespace gp {
namespace {

// A caller gets an error rather than wait longer.
constexpr std::chrono::seconds kAwaitMax{5};
// Between two reads that find no answer.
constexpr std::chrono::milliseconds kRetryEvery{50};

}  // namespace

StoreLeadership::StoreLeadership(const LeaderKey& key, std::function<void()> deposed)
    : key_(key), deposed_(std::move(deposed)), thread_([this] { Run(); }) {}

StoreLeadership::~StoreLeadership() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StoreLeadership::WhenProven(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    proofs_.Add(std::move(then));
  }
  changed_.notify_all();
}

Status StoreLeadership::Await() {
  const auto proven = std::make_shared<std::promise<void>>();
  std::future<void> done = proven->get_future();
  WhenProven([proven] { proven->set_value(); });
  if (done.wait_for(kAwaitMax) == std::future_status::ready) return Ok();
  return Fail(Unavailable(
      "this controller cannot prove that it still leads: the store of the shared log does not "
      "answer, or another controller leads"));
}

void StoreLeadership::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || proofs_.has_waiting(); });
    if (ends_) return;
    proofs_.Begin();
    lock.unlock();
    const Result<bool> leads = key_.Leads();
    if (leads && !*leads) return deposed_();
    lock.lock();
    if (!leads) {
      changed_.wait_for(lock, kRetryEvery, [this] { return ends_; });
      continue;
    }
    const std::vector<LeadProofs::Then> proven = proofs_.Succeed();
    lock.unlock();
    for (const LeadProofs::Then& then : proven) then();
    lock.lock();
  }
}

}  // namespace gp
