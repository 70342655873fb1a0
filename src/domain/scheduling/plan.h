#pragma once

// The result of a pass.

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
  bool is_unknown = false;  // another controller has made it, and this one has not seen it
  using Step = std::variant<PlaceGang, PreemptJob>;
  std::vector<Step> steps;  // in the order in which they must be committed
  // When to plan again even if nothing happens: a pending job may then be able to preempt. ns == 0:
  // never.
  Instant look_again_at;
  // Nodes that are reserved for nominated jobs or by backfill reservations.
  std::map<NodeId, BackfillReservation> backfill;
  // Free GPUs that are held for jobs: the destinations of jobs that are being moved, and the old
  // placements of jobs that a fault interrupted.
  std::vector<PlaceGang> held;
  bool operator==(const Plan&) const = default;

  std::vector<PlaceGang> Placements() const;
};
Command ToCommand(Plan::Step step);

}  // namespace gp
