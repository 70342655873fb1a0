#include "application/agent/launch/lease_ports.h"

#include <set>

#include "domain/model/jobs/ports.h"

namespace gp {
namespace {

// A job without a network has all ports of its own.
bool NeedsPorts(const DesiredLease& desired) {
  return desired.lease.rank == 0 && desired.lease.stop == StopOrder::kNone &&
         desired.spec->program.network != NetworkAccess::kNone;
}

}  // namespace

void LeasePorts::Update(NodeDesiredState& desired, const std::map<LeaseId, LeaseObservation>& seen,
                        const std::map<LeaseId, int>& begun) {
  std::set<LeaseId> kept;
  for (const DesiredLease& one : desired.leases) {
    const auto held = seen.find(one.lease.id);
    if (held == seen.end() || !held->second.ended) kept.insert(one.lease.id);
  }
  for (const auto& [id, held] : seen) {
    if (!held.ended) kept.insert(id);
  }
  blocks_.ReleaseOthers(kept);
  for (DesiredLease& one : desired.leases) {
    if (!kept.contains(one.lease.id) || !NeedsPorts(one)) continue;
    std::optional<int> begun_with;
    if (seen.contains(one.lease.id)) {
      const auto ports = begun.find(one.lease.id);
      begun_with = ports == begun.end() ? 0 : ports->second;
    }
    UpdateOne(one, begun_with);
  }
}

void LeasePorts::UpdateOne(DesiredLease& desired, std::optional<int> begun_with) {
  const LeaseId id = desired.lease.id;
  const bool is_alone = desired.node_names.size() == 1;
  if (begun_with) {
    // An earlier process of the agent may have started it.
    if (blocks_.Of(id) == 0 && *begun_with != 0) blocks_.Keep(id, *begun_with);
  } else if (!is_alone && desired.first_port != 0) {
    if (blocks_.Of(id) != desired.first_port) blocks_.Keep(id, desired.first_port);
  } else if (blocks_.Of(id) == 0 && (is_alone || desired.awaits_ports)) {
    blocks_.Take(id, PreferredFirstPort(desired.lease.job, desired.lease.attempt));
  }
  if (is_alone) desired.first_port = blocks_.Of(id);
}

int LeasePorts::OfferFor(const DesiredLease& desired) const {
  return desired.awaits_ports && desired.lease.rank == 0 ? blocks_.Of(desired.lease.id) : 0;
}

}  // namespace gp
