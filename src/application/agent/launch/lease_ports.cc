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

void LeasePorts::Update(NodeDesiredState& desired,
                        const std::map<LeaseId, LeaseObservation>& seen) {
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
    if (kept.contains(one.lease.id) && NeedsPorts(one)) UpdateOne(one, seen.contains(one.lease.id));
  }
}

void LeasePorts::UpdateOne(DesiredLease& desired, bool is_begun) {
  const LeaseId id = desired.lease.id;
  const bool is_alone = desired.node_names.size() == 1;
  const int preferred = PreferredFirstPort(desired.lease.job, desired.lease.attempt);
  if (blocks_.Of(id) == 0) {
    if (desired.first_port != 0) {
      blocks_.Keep(id, desired.first_port);
    } else if (is_begun && is_alone) {
      // An earlier process of the agent has started it, most likely with these.
      blocks_.Keep(id, preferred);
    } else if (is_alone || desired.awaits_ports) {
      blocks_.Take(id, preferred);
    }
  }
  if (is_alone) desired.first_port = blocks_.Of(id);
}

int LeasePorts::OfferFor(const DesiredLease& desired) const {
  return desired.awaits_ports && desired.lease.rank == 0 ? blocks_.Of(desired.lease.id) : 0;
}

}  // namespace gp
