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

// nullopt: it is not started yet.
std::optional<int> BegunWith(LeaseId id, const std::map<LeaseId, LeaseObservation>& seen,
                             const std::map<LeaseId, int>& begun) {
  if (!seen.contains(id)) return std::nullopt;
  const auto ports = begun.find(id);
  return ports == begun.end() ? 0 : ports->second;
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
  // What is fixed comes first: an earlier process of the agent may have leased it.
  for (const DesiredLease& one : desired.leases) {
    if (kept.contains(one.lease.id)) KeepFixed(one, BegunWith(one.lease.id, seen, begun));
  }
  for (DesiredLease& one : desired.leases) {
    if (kept.contains(one.lease.id) && NeedsPorts(one))
      TakeMissing(one, seen.contains(one.lease.id));
  }
}

void LeasePorts::KeepFixed(const DesiredLease& desired, std::optional<int> begun_with) {
  const bool is_of_gang = NeedsPorts(desired) && desired.node_names.size() > 1;
  const int first_port = begun_with ? *begun_with : is_of_gang ? desired.first_port : 0;
  const int held = blocks_.Of(desired.lease.id);
  const bool is_other = begun_with ? held == 0 : held != first_port;
  if (desired.lease.rank == 0 && first_port != 0 && is_other)
    blocks_.Keep(desired.lease.id, first_port);
}

void LeasePorts::TakeMissing(DesiredLease& desired, bool has_begun) {
  const LeaseId id = desired.lease.id;
  const bool is_alone = desired.node_names.size() == 1;
  if (!has_begun && blocks_.Of(id) == 0 && (is_alone || desired.awaits_ports))
    blocks_.Take(id, PreferredFirstPort(desired.lease.job, desired.lease.attempt));
  if (is_alone) desired.first_port = blocks_.Of(id);
}

int LeasePorts::OfferFor(const DesiredLease& desired) const {
  return desired.awaits_ports && desired.lease.rank == 0 ? blocks_.Of(desired.lease.id) : 0;
}

}  // namespace gp
