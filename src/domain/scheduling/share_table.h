#pragma once

// Fair share: the used part of the share of each queue and user with pending jobs, in steps of 1/64
// of the share.

#include <cstdint>
#include <map>
#include <string>

#include "domain/cluster/quotas/quota.h"

namespace gp {

// Call Add for each queue and user, then Weigh, then Charge. The state must outlive this and not
// change. Not thread-safe.
class ShareTable {
  struct Siblings {
    int64_t count = 0;
    int64_t weights = 0;
    int64_t use = 0;
  };

 public:
  class Entry {
   public:
    const AccountId& id() const { return id_; }
    Entry* parent() const { return parent_; }  // nullptr: a top-level queue
    // 64: all of its share is used; -1: a queue that holds less than its guarantee.
    int64_t step() const { return step_; }

   private:
    friend class ShareTable;
    AccountId id_;
    Entry* parent_ = nullptr;
    Siblings* siblings_ = nullptr;
    // What the siblings divide: all their use, and at least the pool's GPUs over the horizon
    int64_t norm_ = 0;
    int64_t step_ = 0;
    int64_t weight_ = 1;
    int64_t guaranteed_ = 0;  // thousandths of GPUs
    int64_t held_ = 0;        // thousandths of GPUs
    int64_t use_ = 0;         // thousandths of GPUs times milliseconds
  };

  ShareTable(const State& state, Instant at) : state_(state), at_(at) {}
  ShareTable(const ShareTable&) = delete;

  // The entry of a user in a queue; adds those of the queues above as well. The pointer stays
  // valid.
  Entry* Add(const std::string& queue, const std::string& user);
  // Computes the steps. Call once, after all Add.
  void Weigh();
  // Adds `share` to the usage of the user, for a job that was placed.
  void Charge(const std::string& queue, const std::string& user, int64_t share);

 private:
  Entry* AddOne(AccountId id, Entry* parent);
  void Measure(Entry& entry);
  void SetStep(Entry& entry);
  int64_t HorizonMs() const { return state_.policy.share_horizon.ToMilliseconds(); }

  const State& state_;
  const Instant at_;
  std::map<AccountId, Entry> entries_;
  std::map<std::pair<std::string, std::string>, Siblings> siblings_;  // by pool and parent queue
};

}  // namespace gp
