#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "application/replication/lead/lead_proofs.h"
#include "application/replication/lead/leader_key.h"
#include "ports/outbound/leadership.h"

namespace gp {

// Proves the lead by reads of the leader's key, one at a time: a read serves all that waited when
// it began.  It has a thread.
class StoreLeadership : public Leadership {
 public:
  // `deposed`: called once, on its thread, when another controller leads.  `together`: for how long
  // those who are not in a hurry wait for others.  The key outlives it.
  StoreLeadership(const LeaderKey& key, std::function<void()> deposed,
                  std::chrono::milliseconds together = std::chrono::milliseconds(100));
  ~StoreLeadership() override;

  void WhenProven(std::function<void()> then) override;
  void WhenProvenSoon(std::function<void()> then) override;
  Status Await() override;

 private:
  void Run();
  void AwaitTurn(std::unique_lock<std::mutex>& lock);

  const LeaderKey& key_;
  const std::function<void()> deposed_;
  const std::chrono::milliseconds together_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LeadProofs proofs_;
  bool is_urgent_ = false;  // somebody waits who must not wait for others
  // When the next proof begins if nobody is in a hurry; nullopt: nobody waits, or at once
  std::optional<std::chrono::steady_clock::time_point> not_later_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gp
