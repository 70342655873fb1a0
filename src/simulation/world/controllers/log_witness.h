#pragma once

#include "application/replication/store_keys.h"
#include "domain/cluster/state/state.h"
#include "ports/outbound/quorum_store.h"
#include "simulation/world/findings.h"
#include "simulation/world/ledger_watch.h"

namespace gp {

// Shows the watch each record of the shared log at the moment at which the log has it, whoever
// knows of it.  It keeps a state of its own.
class LogWitness {
 public:
  LogWitness(Timeline& timeline, LedgerWatch& watch, Findings& findings)
      : timeline_(timeline), watch_(watch), findings_(findings) {}

  void See(const StoreTransaction& transaction);
  const State& state() const { return state_; }
  uint64_t records() const { return records_; }

 private:
  Status SeeChunk(const std::string& bytes);

  Timeline& timeline_;
  LedgerWatch& watch_;
  Findings& findings_;
  const StoreKeys keys_{"world"};
  State state_;
  uint64_t records_ = 0;
};

}  // namespace gp
