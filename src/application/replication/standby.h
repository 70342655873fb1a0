#pragma once

#include "application/replication/lead/leader_key.h"
#include "application/replication/members/member_board.h"
#include "application/replication/replica.h"

namespace gp {

// A controller that does not lead: it follows the log, and takes the lead when nobody has it.  One
// thread at a time calls it.
class Standby {
 public:
  // `self`: what does not change of what it tells of itself.  `may_create`: whether it begins the
  // log where there is none; one that has followed a log before must not begin another.  All
  // outlive it.
  Standby(SharedLog& log, LeaderKey& key, Replica& replica, Clock& clock, Member self,
          bool may_create = true)
      : log_(log),
        key_(key),
        replica_(replica),
        clock_(clock),
        self_(std::move(self)),
        may_create_(may_create),
        board_(log.store(), log.keys()) {}

  enum class Role {
    kFollows,  // it has all that the log had
    kIsLate,   // the log has more: the next turn is due at once
    kLeads,    // its term has begun, and it has everything that was written before
    kIsUnfit,  // it never takes the lead: the log has what its program cannot read
  };
  // One step.  Errors: those of Replica::CatchUp but kUnsupported; only kUnavailable may be tried
  // again.
  Result<Role> Turn();

  // It cannot follow: from now on it only tells of itself, and of the reason.
  void BecomeUnfit(const std::string& why) { unfit_ = why; }
  // Empty: it is fit.
  const std::string& unfit() const { return unfit_; }

  // Where the log ended when this term began.  REQUIRES: it leads.
  const LogHead& head() const { return head_; }
  // What it tells of itself as a leader, whose time is `now`: it knows the time after a restart
  // too.  On the thread that appends to its own journal.
  StorePut TellOfItself(Instant now) const {
    return board_.PutOf(Self(replica_.journal().LastSequence(), now,
                             Recovered::Sight{now, clock_.BootNs(), key_.term()}));
  }

 private:
  Status Remember();
  Result<bool> Follow();
  Result<Role> TurnUnfit();
  void PublishWhenDue();
  Member Self(uint64_t applied, Instant told_at,
              const std::optional<Recovered::Sight>& sight) const;

  SharedLog& log_;
  LeaderKey& key_;
  Replica& replica_;
  Clock& clock_;
  const Member self_;
  const bool may_create_;
  MemberBoard board_;
  LogHead head_;
  bool has_remembered_ = false;
  std::string unfit_;
  int64_t publish_not_before_ns_ = 0;  // boot time
};

}  // namespace gp
