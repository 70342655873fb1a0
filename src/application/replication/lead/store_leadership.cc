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

StoreLeadership::StoreLeadership(const LeaderKey& key, std::function<void()> deposed,
                                 std::chrono::milliseconds together)
    : key_(key), deposed_(std::move(deposed)), together_(together), thread_([this] { Run(); }) {}

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
    is_urgent_ = true;
  }
  changed_.notify_all();
}

void StoreLeadership::WhenProvenSoon(std::function<void()> then) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    proofs_.Add(std::move(then));
    is_first = !not_later_;
    if (is_first) not_later_ = std::chrono::steady_clock::now() + together_;
  }
  if (is_first) changed_.notify_all();
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

// Until a proof is due, or it ends.
void StoreLeadership::AwaitTurn(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return ends_ || proofs_.has_waiting(); });
  if (not_later_) changed_.wait_until(lock, *not_later_, [this] { return ends_ || is_urgent_; });
  is_urgent_ = false;
  not_later_.reset();
}

void StoreLeadership::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    AwaitTurn(lock);
    if (ends_) return;
    proofs_.Begin();
    lock.unlock();
    const Result<bool> leads = key_.Leads();
    if (leads && !*leads) return deposed_();
    lock.lock();
    if (!leads) {
      changed_.wait_for(lock, kRetryEvery, [this] { return ends_; });
      is_urgent_ = true;  // some of those that it was to serve may be
      continue;
    }
    const std::vector<LeadProofs::Then> proven = proofs_.Succeed();
    lock.unlock();
    for (const LeadProofs::Then& then : proven) then();
    lock.lock();
  }
}

}  // namespace gp
