#pragma once

// How much of its share each queue and user that waits has used, in steps of 1/64 of it.

#include <cstdint>
#include <map>
#include <string>

#include "domain/cluster/quota.h"

namespace gp {

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
    Entry* parent() const { return parent_; }  // nullptr: a queue at the top
    // 64: as much as its share; -1: a queue that holds less than it is guaranteed.
    int64_t step() const { return step_; }

   private:
    friend class ShareTable;
    AccountId id_;
    Entry* parent_ = nullptr;
    Siblings* siblings_ = nullptr;
    int64_t norm_ = 0;  // of use: about what all siblings together may have
    int64_t step_ = 0;
    int64_t weight_ = 1;
    int64_t guaranteed_ = 0;  // thousandths of GPUs
    int64_t held_ = 0;        // thousandths of GPUs
    int64_t use_ = 0;         // thousandths of GPUs times milliseconds
  };

  ShareTable(const State& state, Instant at) : state_(state), at_(at) {}
  ShareTable(const ShareTable&) = delete;

  // The entry of a user in a queue, and with it those of the queues above.  Stays where it is.
  Entry* Add(const std::string& queue, const std::string& user);
  // Works out the steps, once all are added.
  void Weigh();
  // A job of the user was given so much more.
  void Charge(const std::string& queue, const std::string& user, int64_t share);

 private:
  Entry* AddOne(AccountId id, Entry* parent);
  void Measure(Entry& entry);
  void SetStep(Entry& entry);
  int64_t HorizonMs() const { return state_.policy.share_horizon.ToMilliseconds(); }

  const State& state_;
  const Instant at_;
  std::map<AccountId, Entry> entries_;
  std::map<std::pair<std::string, std::string>, Siblings> siblings_;  // by pool and the queue above
};

}  // namespace gp
