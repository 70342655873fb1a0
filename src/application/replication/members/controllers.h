#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "application/replication/log/shared_log.h"
#include "application/replication/members/member_board.h"
#include "ports/outbound/store_health.h"

namespace gp {

// A controller of the cluster, as the leader sees it.
struct ControllerStatus {
  Member member;
  bool leads = false;
  Duration silent_for;  // since it told of itself, by the leader's time
  uint64_t behind = 0;  // records of the log that it did not have then
  // A controller tells of itself every few seconds.
  bool Lives() const { return leads || silent_for < kSilentAfter; }
  // It could take over now.
  bool IsStandby() const { return !leads && Lives() && member.unfit.empty(); }
  static constexpr Duration kSilentAfter = Duration::Seconds(10);
};

struct ControllersSeen {
  uint64_t term = 0;                  // of the leader
  std::vector<ControllerStatus> all;  // that have ever told of themselves, by name
};

// The newest format of records that every controller reads: every one that has ever told of itself,
// or, if `without_silent`, every one that lives.  `unless`: gets the names of those that read no
// newer one.  0: none has told of itself.
uint64_t FormatOfAll(const ControllersSeen& seen, bool without_silent,
                     std::vector<std::string>* unless = nullptr);

// The controllers of a cluster, and their store, for those who operate it.  Only the leader's
// process has it.  Any thread.
class Controllers {
 public:
  // `self`: the name of this controller.  The store outlives it.
  Controllers(QuorumStore& store, StoreHealth& health, const StoreKeys& keys, std::string self)
      : log_(store, keys), board_(store, keys), health_(health), self_(std::move(self)) {}

  // As the store has it now.  Errors: kUnavailable, kInternal (a key is damaged).
  Result<ControllersSeen> Look();
  // As the last Look found it; nullopt: none has succeeded.  It does not wait for the store.
  std::optional<ControllersSeen> LastSeen() const;
  // Asks every machine of the store, which takes up to a second.
  void LookAtStore();
  // As the last LookAtStore found it; empty: there was none.
  std::vector<StoreMember> StoreSeen() const;
  // Whether a standby could take over now.  Errors: as Look; kConflict: none could.
  Status CheckStandby();
  // Forgets a controller that is gone for good.  Errors: as Look; kNotFound; kConflict: it lives.
  Status Remove(const std::string& name);

 private:
  SharedLog log_;
  MemberBoard board_;
  StoreHealth& health_;
  const std::string self_;
  mutable std::mutex mutex_;
  std::optional<ControllersSeen> seen_;
  std::vector<StoreMember> store_seen_;
};

}  // namespace gp
