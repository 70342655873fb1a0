#include <algorithm>
#include <optional>
#include <set>

#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

Status CheckSize(const Job& job, const PlaceGang& command) {
  if (command.variant < 0 || command.variant >= CountVariants(*job.spec)) {
    return Fail(Conflict(NameOf(job) + " has no variant " + std::to_string(command.variant)));
  }
  const auto ranks = static_cast<int>(command.ranks.size());
  const NodeRange range = NodesOf(*job.spec, command.variant);
  if (ranks >= range.least && ranks <= range.most) return Ok();
  return Fail(Conflict(NameOf(job) + ": a gang of " + std::to_string(range.most) +
                       " nodes was placed on " + std::to_string(ranks)));
}

Status CheckJob(const State& state, const PlaceGang& command) {
  const Job* job = state.FindJob(command.job);
  if (job == nullptr) return Fail(NotFound("no job " + ToText(command.job)));
  if (job->state != JobState::kQueued) {
    return Fail(Conflict(NameOf(*job) + " is " + Name(job->state) + ", not QUEUED"));
  }
  GP_CHECK_OK(CheckSize(*job, command));
  std::set<NodeId> nodes;
  for (const RankPlacement& rank : command.ranks) {
    if (!nodes.insert(rank.node).second) {
      return Fail(Conflict(NameOf(*job) + ": two ranks on one node"));
    }
  }
  return Ok();
}

bool StopsOnLoss(const JobSpec& spec) {
  if (spec.recovery.on_lease_loss == LeaseLoss::kDefault) return spec.resources.nodes > 1;
  return spec.recovery.on_lease_loss == LeaseLoss::kStop;
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const PlaceGang& command) {
  const Instant at = envelope.at;
  if (at < state.quiet_until) {
    return Fail(Conflict(
        "leases from before a cut of the journal, or of a longer lease time, may still be live"));
  }
  GP_CHECK_OK(CheckJob(state, command));
  const Job& known = *state.FindJob(command.job);
  std::optional<Job> given;  // the job with this placement
  if (HasVariants(*known.spec)) {
    given = known;
    given->spec = Resolve(known.spec, command.variant, static_cast<int>(command.ranks.size()));
  }
  const Job& job = given ? *given : known;
  if (const auto stop = FindQuotaStop(state, job, at))
    return Fail(Conflict(NameOf(job) + ": " + ToText(*stop)));
  GangPlaced placed{command.pass, job.id, {}, command.note, command.variant};
  uint64_t next_lease = state.leases.last + 1;
  for (size_t rank = 0; rank < command.ranks.size(); ++rank) {
    const RankPlacement& place = command.ranks[rank];
    GP_CHECK_OK(CheckGrants(state, job, place));
    GP_CHECK_OK(CheckReservations(state, job, *state.FindNode(place.node), at));
    Lease lease;
    lease.id = {next_lease++};
    lease.job = job.id;
    lease.attempt = job.attempt + 1;
    lease.rank = static_cast<int>(rank);
    lease.node = place.node;
    lease.mode = ModeFor(job.spec->resources.gpus);
    lease.gpus = place.gpus;
    lease.numa = place.numa;
    lease.stop_on_loss = StopsOnLoss(*job.spec);
    placed.leases.push_back(std::move(lease));
  }
  return Events{std::move(placed)};
}

}  // namespace gp
