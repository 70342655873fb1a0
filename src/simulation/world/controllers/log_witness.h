#pragma once

#include <map>
#include <optional>
#include <string>

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

  // `sent_at`: when the controller sent it.
  void See(const StoreTransaction& transaction, Instant sent_at);
  // Whether this machine has been silent for long enough, now or a while ago, that the others may
  // have taken it for dead.
  bool WasSilent(const std::string& machine) const;
  const State& state() const { return state_; }
  uint64_t records() const { return records_; }

 private:
  struct Telling {
    std::optional<Instant> at;            // of its newest publication
    std::optional<Instant> silent_until;  // the end of its last long silence
  };
  Status SeeChunk(const std::string& bytes, Instant sent_at);
  void SeeMember(const std::string& key);
  void SeeDeletion(const KeyRange& range);

  Timeline& timeline_;
  LedgerWatch& watch_;
  Findings& findings_;
  const StoreKeys keys_{"world"};
  State state_;
  uint64_t records_ = 0;
  uint64_t newest_ = 0;                      // the first record of the newest chunk
  std::map<std::string, Telling> tellings_;  // by the members' keys
};

}  // namespace gp
