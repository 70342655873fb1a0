#pragma once

// What a pass proposes.

#include <map>
#include <variant>
#include <vector>

#include "base/time.h"
#include "domain/cluster/command.h"
#include "domain/scheduling/backfill_reservations.h"

namespace gp {

// A proposal: Decide checks each step again.
struct Plan {
  Instant made_at;
  using Step = std::variant<PlaceGang, PreemptJob>;
  std::vector<Step> steps;  // in the order in which they must be committed
  // Somebody waits for a place that a running job may have to give up later: then look again, even
  // if nothing happens.  ns == 0: nobody does.
  Instant look_again_at;
  // Nodes that are being cleared for a job, or that one which has waited too long keeps for itself.
  std::map<NodeId, BackfillReservation> backfill;
  // What is free of the destinations of jobs that are being moved: held for them.
  std::vector<PlaceGang> held;
  bool operator==(const Plan&) const = default;

  std::vector<PlaceGang> Placements() const;
};
Command ToCommand(Plan::Step step);

}  // namespace gp
