#pragma once

// Users at the virtual cluster: each submits its jobs, again and again with the same request id
// until it is told that the job exists, and looks after a wish in the same way.

#include <functional>

#include "simulation/world/controller_host.h"
#include "simulation/world/ledger_watch.h"

namespace gp {

class Clients {
 public:
  Clients(Timeline& timeline, const WorldPlan& plan, ControllerHost& controller, LedgerWatch& watch,
          Findings& findings, Rng& rng)
      : timeline_(timeline),
        plan_(plan),
        controller_(controller),
        watch_(watch),
        findings_(findings),
        rng_(rng) {}

  void Submit(size_t job);
  void Stop(size_t job, bool force);
  void Hold(size_t job, Duration lasts);
  void SetPriority(size_t job, int priority);
  // Until it was answered, whatever the answer; `answered` is told of it.
  void Insist(const std::string& principal, Command command,
              std::function<void(const Outcome&)> answered = {});

 private:
  Timeline& timeline_;
  const WorldPlan& plan_;
  ControllerHost& controller_;
  LedgerWatch& watch_;
  Findings& findings_;
  Rng& rng_;
};

}  // namespace gp
