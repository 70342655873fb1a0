// What keeps a job waiting, by what was reserved or promised from some time on.

#include <algorithm>

#include "domain/cluster/reservations.h"
#include "tests/property/explain/planted_case.h"

namespace gp {

// All nodes that the job could use are set aside for somebody else, and empty.
Planted PlantedCase::PlantReservation() {
  const bool now = rng_.Chance(1, 2);
  const int reserved = rng_.Between(1, Nodes());
  Reserve(reserved, Duration::Minutes(now ? 0 : rng_.Between(1, 300)),
          Duration::Minutes(rng_.Between(60, 300)), rng_.Chance(1, 2) ? "carl" : "");
  JobSpec spec = Spec(rng_.Between(1, 8));
  if (reserved < Nodes()) spec.resources.gpus.models = {"H100"};  // the first node
  const int alike = std::max(1, Nodes() - 1);
  if (reserved == Nodes() && rng_.Chance(1, 3)) spec.resources.nodes = rng_.Between(1, alike);
  if (now && rng_.Chance(1, 2)) spec.policy.time_limit = Duration::Minutes(rng_.Between(1, 600));
  Wait(spec);
  return {"reservation", PendingKind::kReserved};
}

// The job's limit reaches into a reservation of others that has not begun; a shorter one would not.
Planted PlantedCase::PlantLongBeforeReservation() {
  const int minutes = rng_.Between(5, 300);
  Reserve(Nodes(), Duration::Minutes(minutes), Duration::Minutes(rng_.Between(60, 300)),
          rng_.Chance(1, 2) ? "carl" : "");
  const int passed = rng_.Between(0, minutes - 4);
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(passed));
  JobSpec spec = Spec(rng_.Between(1, 8));
  if (rng_.Chance(3, 4))
    spec.policy.time_limit = Duration::Minutes(rng_.Between(minutes - passed, 600));
  if (rng_.Chance(1, 2)) spec.policy.grace = Duration::Seconds(rng_.Between(1, 60));
  Wait(spec);
  return {"long before a reservation", PendingKind::kReserved, ChangeKind::kTimeLimit};
}

// The reservation that it names ends before the job would; when it was submitted it would have
// done.
Planted PlantedCase::PlantLongInReservation() {
  const int minutes = rng_.Between(60, 300);
  Reserve(1, {}, Duration::Minutes(minutes), "ana");
  JobSpec other = Spec(8);
  other.placement.reservation = "course";
  other.policy.time_limit = Duration::Minutes(minutes - 5);
  const JobId holder = Submit(other, {"ana", 1000, 1000});
  engine_.Start(holder);
  JobSpec spec = Spec(rng_.Between(1, 8));
  spec.placement.reservation = "course";
  spec.policy.time_limit = Duration::Minutes(rng_.Between(10, minutes - 5));
  Wait(spec);
  const int left = rng_.Between(3, static_cast<int>(spec.policy.time_limit.ToSeconds() / 60));
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(minutes - left));
  engine_.Finish(holder);
  engine_.Pass();
  return {"long in a reservation", PendingKind::kReservation, ChangeKind::kTimeLimit};
}

// A large job was promised the first node for when those who run there have ended by their limits;
// until then there is room for those who will have left.
Planted PlantedCase::PlantLongBeforeStart() {
  JobSpec running = Spec(rng_.Between(1, 6));
  running.resources.gpus.models = {"H100"};
  const int minutes = rng_.Between(20, 300);
  running.policy.time_limit = Duration::Minutes(minutes);
  Run(running);
  JobSpec large = Spec(8);
  large.resources.gpus.models = {"H100"};
  Wait(large);
  const int passed = rng_.Between(6, minutes - 4);
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(passed));
  JobSpec spec = Spec(rng_.Between(1, 8 - running.resources.gpus.count));
  spec.resources.gpus.models = {"H100"};
  // The promise has room for the grace of who runs: the limit is beyond that.
  if (rng_.Chance(3, 4))
    spec.policy.time_limit = Duration::Minutes(rng_.Between(minutes - passed + 1, 600));
  Wait(spec);
  return {"long before a promised start", PendingKind::kReserved, ChangeKind::kTimeLimit};
}

}  // namespace gp
