#include "domain/node/gpu_places.h"

#include <algorithm>
#include <numeric>

namespace gp {
namespace {

int PlaceOf(const std::vector<int>& places, int of) {
  return of >= 0 && of < static_cast<int>(places.size()) ? places[static_cast<size_t>(of)] : -1;
}

bool IsIdentity(const std::vector<int>& places) {
  std::vector<int> same(places.size());
  std::iota(same.begin(), same.end(), 0);
  return places == same;
}

// Translates the GPU numbers of all entries by `places`, drops entries without a number, and sorts
// them.
template <typename T>
void Rename(const std::vector<int>& places, std::vector<T>& all) {
  for (T& one : all) one.gpu = PlaceOf(places, one.gpu);
  std::erase_if(all, [](const T& one) { return one.gpu < 0; });
}

template <typename T>
void RenameSorted(const std::vector<int>& places, std::vector<T>& all) {
  Rename(places, all);
  std::ranges::sort(all, {}, &T::gpu);
}

}  // namespace

GpuPlaces::GpuPlaces(const NodeFacts& ledger, const NodeFacts& agent) {
  for (const GpuFacts& gpu : agent.gpus) gpus_to_ledger_.push_back(ledger.PositionOf(gpu.uuid));
  for (const GpuFacts& gpu : ledger.gpus) gpus_to_agent_.push_back(agent.PositionOf(gpu.uuid));
  for (const NumaFacts& numa : ledger.numa) {
    const auto here = std::ranges::find(agent.numa, numa.os_id, &NumaFacts::os_id);
    numa_to_agent_.push_back(
        here == agent.numa.end() ? -1 : static_cast<int>(here - agent.numa.begin()));
  }
  are_alike_ =
      IsIdentity(gpus_to_ledger_) && IsIdentity(gpus_to_agent_) && IsIdentity(numa_to_agent_);
}

void GpuPlaces::ToLedger(std::vector<LeaseObservation>& leases) const {
  if (are_alike_) return;
  for (LeaseObservation& lease : leases) RenameSorted(gpus_to_ledger_, lease.use.gpus);
}

void GpuPlaces::ToLedger(std::vector<GpuObservation>& gpus) const {
  if (!are_alike_) RenameSorted(gpus_to_ledger_, gpus);
}

void GpuPlaces::ToLedger(std::vector<FaultSignal>& signals) const {
  if (are_alike_) return;
  std::erase_if(signals, [&](FaultSignal& signal) {
    if (signal.gpu < 0) return false;  // of the whole node
    signal.gpu = PlaceOf(gpus_to_ledger_, signal.gpu);
    return signal.gpu < 0;
  });
}

void GpuPlaces::ToLedger(std::vector<GpuTaskResult>& results) const {
  if (!are_alike_) Rename(gpus_to_ledger_, results);
}

void GpuPlaces::ToAgent(NodeDesiredState& desired) const {
  if (are_alike_) return;
  for (DesiredLease& desired_lease : desired.leases) {
    RenameSorted(gpus_to_agent_, desired_lease.lease.gpus);
    for (NumaGrant& grant : desired_lease.lease.numa)
      grant.numa = PlaceOf(numa_to_agent_, grant.numa);
    std::erase_if(desired_lease.lease.numa, [](const NumaGrant& grant) { return grant.numa < 0; });
  }
  Rename(gpus_to_agent_, desired.tasks);
}

}  // namespace gp
