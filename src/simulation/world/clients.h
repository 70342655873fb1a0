#pragma once

#include <functional>

#include "simulation/world/controllers/controller_hosts.h"
#include "simulation/world/ledger_watch.h"

namespace gp {

// The users of the virtual cluster.  Each repeats a submit with the same request id until it is
// acknowledged, and repeats other commands with theirs until they are answered.
class Clients {
 public:
  Clients(Timeline& timeline, const WorldPlan& plan, ControllerHosts& controllers,
          LedgerWatch& watch, Findings& findings, Rng& rng)
      : timeline_(timeline),
        plan_(plan),
        controllers_(controllers),
        watch_(watch),
        findings_(findings),
        rng_(rng) {}

  void Submit(size_t job);
  void Stop(size_t job, bool force);
  void Hold(size_t job, Duration lasts);
  void SetPriority(size_t job, int priority);
  // Repeats the command until it is answered, with success or not; then calls `answered`.
  void Insist(const std::string& principal, Command command,
              std::function<void(const Outcome&)> answered = {});

 private:
  struct Change {
    std::string principal;
    ClientRequest request;
    Command command;
    std::function<void(const Outcome&)> answered;  // may be empty
    bool is_answered = false;  // successfully, so that a repeat must change nothing
  };
  void Ask(Change change);

  Timeline& timeline_;
  const WorldPlan& plan_;
  ControllerHosts& controllers_;
  LedgerWatch& watch_;
  Findings& findings_;
  Rng& rng_;
  uint64_t changes_ = 0;
};

}  // namespace gp
