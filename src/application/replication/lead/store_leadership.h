#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "application/replication/lead/lead_proofs.h"
#include "application/replication/lead/leader_key.h"
#include "ports/outbound/leadership.h"

namespace gp {

// Proves the lead by reads of the leader's key, one at a time: a read serves all that waited when
// it began.  It has a thread.
class StoreLeadership : public Leadership {
 public:
  // `deposed`: called once, on its thread, when another controller leads.  The key outlives it.
  StoreLeadership(const LeaderKey& key, std::function<void()> deposed);
  ~StoreLeadership() override;

  void WhenProven(std::function<void()> then) override;
  Status Await() override;

 private:
  void Run();

  const LeaderKey& key_;
  const std::function<void()> deposed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LeadProofs proofs_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gp
