#pragma once

#include <cstdint>
#include <string>

#include "application/replication/store_keys.h"
#include "ports/outbound/quorum_store.h"

namespace gp {

// The key of the store whose owner leads.  A lease deletes it some time after its owner has
// stopped, so that another controller can lead; that is a matter of liveness.  What keeps two
// leaders apart is the term, which every append and every proof compares.
class LeaderKey {
 public:
  // `owner`: the value of the key (leader_entry.h), which no other process has ever had.
  LeaderKey(QuorumStore& store, StoreKeys keys, std::string owner, Duration lease_time)
      : store_(store), keys_(std::move(keys)), owner_(std::move(owner)), wanted_(lease_time) {}

  // Takes the lead if nobody has it.  False: another controller has it, or was faster.  One thread
  // at a time calls it, and only while this controller does not lead.  Errors: kUnavailable.
  Result<bool> TryTake();
  // The present leader's value, as read now; empty: there is none.
  Result<std::string> Owner();
  // Reads who leads, and does not take the lead.  Errors: kUnavailable.
  Status Look();
  // What the last TryTake or Look has read of it.
  const std::string& seen_owner() const { return seen_owner_; }
  uint64_t seen_term() const { return seen_term_; }  // of that owner; 0: there was none

  // Of this controller; 0: it does not lead.
  uint64_t term() const { return term_; }
  // How long the store keeps the key after the last Keep.
  Duration lease_time() const { return lease_.granted; }
  // Keeps the lease.  False: it has ended, and so has the term.  Errors: kUnavailable.
  Result<bool> Keep() { return store_.KeepLease(lease_.id); }
  // Whether the term lasts: a read of the key that begins now.  Any thread, while this controller
  // leads.  Errors: kUnavailable.
  Result<bool> Leads() const;
  // Ends another controller's term at once, because its process is known to have ended.  If that is
  // wrong no harm is done: the term is what decides, and that leader stops.  Any thread.  Errors:
  // kUnavailable.
  Status Depose(uint64_t term);
  // Tells something else of this controller, which leads.  The term stays.  Errors: kUnavailable
  // (the key may have it or not).
  Status Restate(const std::string& owner);
  // Gives the lead up, so that nobody waits until the lease ends.
  void Resign();

 private:
  Result<bool> TakeWith(const StoreLease& lease);

  QuorumStore& store_;
  const StoreKeys keys_;
  const std::string owner_;
  const Duration wanted_;
  StoreLease lease_;
  std::string seen_owner_;
  uint64_t seen_term_ = 0;
  uint64_t term_ = 0;
};

}  // namespace gp
