#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "application/replication/care/log_trimmer.h"
#include "application/replication/lead/lead_proofs.h"
#include "application/replication/log/shared_journal.h"
#include "application/replication/members/controllers.h"
#include "application/replication/standby.h"
#include "base/rng.h"
#include "ports/outbound/leadership.h"
#include "ports/outbound/store_health.h"
#include "simulation/world/timeline.h"

namespace gp {

// What one process of a controller has that shares its log with others: the production standby,
// journal and proofs over a virtual store.  It ends with its process.
class SharedController : public Leadership {
 public:
  struct Place {
    Timeline& timeline;
    Rng& rng;
    // Runs an action of the process now, or when it is no longer suspended; never if it has ended.
    std::function<void(std::function<void()>)> run;
    std::function<void()> deposed;  // must not return
    uint64_t records_per_snapshot = 0;
    TrimLimits trim;
    FormatRange formats = {};  // of its program
  };
  // `machine`: stays the same when the process begins again.  `name`: of the process.
  SharedController(QuorumStore& store, Journal& own, Clock& clock, std::string machine,
                   std::string name, Duration lease_time, Place place);

  Status Recover() { return replica_.Recover(); }
  // As Standby::Turn.
  Result<Standby::Role> Turn() { return standby_.Turn(); }
  // After the turn that begins the lead.
  Journal& BeginLead();
  Recovered TakeState() { return replica_.TakeState(); }
  // As StoreCare's: trims the log, and looks at the other controllers.  True: more is to be
  // trimmed.  REQUIRES: it leads.
  Result<bool> Care();
  // As gp::FormatOfAll of what Care has seen.
  uint64_t FormatOfAll() const;

  const Replica& replica() const { return replica_; }
  LeaderKey& key() { return key_; }

  void WhenProven(std::function<void()> then) override;
  Status Await() override;

 private:
  // Nothing in a world asks for it.
  class NoHealth : public StoreHealth {
   public:
    std::vector<StoreMember> Members() override { return {}; }
  };
  void Prove();
  void EndProof(const Result<bool>& leads);

  Place place_;
  QuorumStore& store_;
  Clock& clock_;
  SharedLog log_;
  LeaderKey key_;
  Replica replica_;
  Standby standby_;
  NewChunks written_;
  std::optional<LogWriter> writer_;
  std::optional<LogTrimmer> trimmer_;
  std::optional<SharedJournal> journal_;
  NoHealth health_;
  Controllers controllers_;
  LeadProofs proofs_;
  bool proves_ = false;  // a proof is under way, or about to begin
  // What the store still has to answer does not reach a process that has ended.
  const std::shared_ptr<int> alive_ = std::make_shared<int>();
};

}  // namespace gp
