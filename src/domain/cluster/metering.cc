#include "domain/cluster/metering.h"

#include <algorithm>
#include <optional>

#include "domain/cluster/quotas/holdings.h"
#include "domain/metering/prices.h"

namespace gp {
namespace {

struct DividedBy {
  const State& state;

  std::vector<NodeGpus> operator()(const GangPlaced& event) const {
    std::vector<NodeGpus> touched;
    for (const Lease& lease : event.leases) touched.push_back(GpusOf(lease));
    return touched;
  }
  std::vector<NodeGpus> operator()(const LeaseEnded& event) const {
    return {GpusOf(*state.FindLease(event.lease))};
  }
  std::vector<NodeGpus> operator()(const GpuConditionChanged& event) const {
    return {OneGpu(event.node, event.gpu)};
  }
  std::vector<NodeGpus> operator()(const GpuDrainChanged& event) const {
    return {OneGpu(event.node, event.gpu)};
  }
  std::vector<NodeGpus> operator()(const NodeJoined& event) const {
    return {{event.node, kAllGpus}};
  }
  std::vector<NodeGpus> operator()(const GpuRetired& event) const {
    return {OneGpu(event.gpu.node, event.gpu.gpu)};
  }
  std::vector<NodeGpus> operator()(const GpuMoved& event) const {
    return {OneGpu(event.from.node, event.from.gpu), OneGpu(event.to.node, event.to.gpu)};
  }
  std::vector<NodeGpus> operator()(const NodeLost& event) const { return {{event.node, kAllGpus}}; }
  std::vector<NodeGpus> operator()(const NodeReturned& event) const {
    return {{event.node, kAllGpus}};
  }
  std::vector<NodeGpus> operator()(const NodeDrainChanged& event) const {
    return {{event.node, kAllGpus}};
  }
  std::vector<NodeGpus> operator()(const NodePoolChanged& event) const {
    return {{event.node, kAllGpus}};
  }
  std::vector<NodeGpus> operator()(const NodeLabelsChanged& event) const {
    return {{event.node, kAllGpus}};
  }
  std::vector<NodeGpus> operator()(const ControllerStarted& event) const {
    return Repriced(event.policy);
  }
  std::vector<NodeGpus> operator()(const PolicyChanged& event) const {
    return Repriced(event.policy);
  }
  std::vector<NodeGpus> operator()(const auto&) const { return {}; }

  std::vector<NodeGpus> Repriced(const Policy& policy) const {
    std::vector<NodeGpus> touched;
    if (policy.prices == state.policy.prices) return touched;
    for (const Node& node : state.nodes.all) touched.push_back({node.id, kAllGpus});
    return touched;
  }
  static NodeGpus OneGpu(NodeId node, int gpu) { return {node, uint64_t{1} << gpu}; }
  static NodeGpus GpusOf(const Lease& lease) {
    NodeGpus gpus{lease.node};
    for (const GpuGrant& grant : lease.gpus) gpus.gpus |= uint64_t{1} << grant.gpu;
    return gpus;
  }
};

template <typename Visit>
void ForEachGpu(const Node& node, uint64_t gpus, Visit visit) {
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu) {
    if ((gpus >> gpu & 1) != 0 && !IsRetired(*node.facts, gpu)) visit(gpu);
  }
}

// The rows that parts of one node's GPUs accrue to.  Neighbouring GPUs mostly use the same row, so
// it is built once.
class NodeRows {
 public:
  NodeRows(const State& state, const Node& node) : state_(state), node_(node) {}

  // Valid until the next call.
  const UsageKey& Of(int gpu, const UsagePart& part) {
    if (!last_ || !IsInRowOfLast(gpu, part)) row_ = RowOf(state_, node_, gpu, part);
    last_ = {gpu, part.kind, part.lease};
    return row_;
  }

 private:
  struct Origin {
    int gpu = 0;
    UsageKind kind = UsageKind::kIdle;
    LeaseId lease;
  };

  bool IsInRowOfLast(int gpu, const UsagePart& part) const {
    const auto price_of = [&](int one) {
      return node_.gpus[static_cast<size_t>(one)].price_micros;
    };
    const auto model_of = [&](int one) -> const std::string& {
      return node_.facts->gpus[static_cast<size_t>(one)].model;
    };
    return last_->kind == part.kind && last_->lease == part.lease &&
           price_of(last_->gpu) == price_of(gpu) && model_of(last_->gpu) == model_of(gpu);
  }

  const State& state_;
  const Node& node_;
  std::optional<Origin> last_;
  UsageKey row_;
};

// Adds the present division of the GPUs, with this sign.
void AddDivision(const State& state, const NodeGpus& touched, int sign, RowShares& used,
                 RowShares& installed) {
  const Node* node = state.FindNode(touched.node);
  if (node == nullptr) return;  // it is just joining
  NodeRows rows(state, *node);
  std::optional<UsageKey> whole;
  ForEachGpu(*node, touched.gpus, [&](int gpu) {
    for (const UsagePart& part : DivisionOf(state, *node, gpu))
      used.Add(rows.Of(gpu, part), sign * part.share);
    if (!whole || whole->model != node->facts->gpus[static_cast<size_t>(gpu)].model)
      whole = InstalledRowOf(*node, gpu);
    installed.Add(*whole, sign * kWholeShare);
  });
}

int ShareOf(const std::vector<UsagePart>& division, LeaseId lease) {
  const auto part = std::ranges::find(division, lease, &UsagePart::lease);
  return part == division.end() ? 0 : part->share;
}

// Adds what the lease has accrued since it was settled, at the present rates.
void AddOpen(const State& state, const Lease& lease, Instant now, JobUse& use) {
  const Node& node = *state.FindNode(lease.node);
  NodeRows rows(state, node);
  RowShares shares;
  for (const GpuGrant& grant : lease.gpus) {
    const int share = ShareOf(DivisionOf(state, node, grant.gpu), lease.id);
    shares.Add(rows.Of(grant.gpu, {UsageKind::kJobs, lease.id, share}), share);
  }
  const Duration wall = state.metering.used.wall;
  for (const auto& [row, share] : shares.Sum())
    AddUse(use, row, share, lease.metered_until + wall, now + wall);
}

void Settle(State& state, Lease& lease) {
  if (lease.gpus.empty() || lease.metered_until == state.metering.now) return;
  AddOpen(state, lease, state.metering.now, state.metering.jobs[lease.job]);
  lease.metered_until = state.metering.now;
}

void SettleLeasesOn(State& state, const NodeGpus& touched) {
  const Node* node = state.FindNode(touched.node);
  if (node == nullptr) return;
  ForEachGpu(*node, touched.gpus, [&](int gpu) {
    for (const LeaseId id : node->gpus[static_cast<size_t>(gpu)].leases)
      Settle(state, state.leases.all.at(id));
  });
}

// Days follow the wall clock.  After a step back before the ledger's present day, the new clock
// takes effect once it reaches that day again.
void FollowWallClock(State& state) {
  Metering& metering = state.metering;
  const Duration wall = state.time.wall;
  if (metering.used.wall == wall || DayOf(metering.now + wall) < metering.used.ledger.today) return;
  for (auto& [id, lease] : state.leases.all) Settle(state, lease);
  for (UsageMeter* meter : {&metering.used, &metering.installed}) {
    meter->Settle(metering.now);
    meter->wall = wall;
  }
}

}  // namespace

std::vector<UsagePart> DivisionOf(const State& state, const Node& node, int gpu) {
  const Gpu& now = node.gpus[static_cast<size_t>(gpu)];
  std::vector<GpuClaim> claims;
  for (const LeaseId id : now.leases) {
    const Lease& lease = *state.FindLease(id);
    const auto grant = std::ranges::find(lease.gpus, gpu, &GpuGrant::gpu);
    claims.push_back(
        {id, static_cast<int>(CountedShare(*grant, node.facts->gpus[static_cast<size_t>(gpu)]))});
  }
  return SplitOf(now, node.condition == NodeCondition::kLost, node.draining, claims);
}

UsageKey InstalledRowOf(const Node& node, int gpu) {
  UsageKey row;
  row.pool = node.pool;
  row.model = node.facts->gpus[static_cast<size_t>(gpu)].model;
  return row;
}

UsageKey RowOf(const State& state, const Node& node, int gpu, const UsagePart& part) {
  UsageKey row = InstalledRowOf(node, gpu);
  row.kind = part.kind;
  row.price.micros = node.gpus[static_cast<size_t>(gpu)].price_micros;
  if (part.kind != UsageKind::kJobs) return row;
  const Job& job = *state.FindJob(state.FindLease(part.lease)->job);
  row.queue = job.queue;
  row.user = job.user.name;
  return row;
}

Redivision::Redivision(State& state, Instant at, const Event& event)
    : state_(state), touched_(std::visit(DividedBy{state}, event)) {
  Metering& metering = state.metering;
  if (touched_.empty()) return;
  metering.now = std::max(metering.now, at);
  FollowWallClock(state);
  for (UsageMeter* meter : {&metering.used, &metering.installed})
    meter->ledger.Coarsen(DayOf(metering.now + meter->wall));
  for (const NodeGpus& touched : touched_) {
    SettleLeasesOn(state, touched);
    AddDivision(state, touched, -1, used_, installed_);
  }
}

void Redivision::Enter() {
  for (const NodeGpus& touched : touched_) AddDivision(state_, touched, 1, used_, installed_);
  Metering& metering = state_.metering;
  for (const auto& [row, share] : used_.Sum()) metering.used.Change(row, share, metering.now);
  for (const auto& [row, share] : installed_.Sum())
    metering.installed.Change(row, share, metering.now);
}

void EndUse(State& state, JobId job, EndClass end) {
  const auto use = state.metering.jobs.find(job);
  if (use == state.metering.jobs.end()) return;
  const EndCharge charge = ChargeOf(end);
  if (charge == EndCharge::kHardware || charge == EndCharge::kPlatform) {
    ForgiveUnsaved(use->second, state.metering.used.ledger);
  } else {
    use->second.unsaved.clear();  // charged
  }
}

void SaveUse(State& state, Instant at, JobId job) {
  state.metering.now = std::max(state.metering.now, at);
  for (const LeaseId id : state.FindJob(job)->leases) Settle(state, state.leases.all.at(id));
  const auto use = state.metering.jobs.find(job);
  if (use != state.metering.jobs.end()) use->second.unsaved.clear();
}

void ForgetUse(State& state, JobId job) {
  const auto found = state.metering.jobs.find(job);
  if (found == state.metering.jobs.end()) return;
  JobUse& all = state.metering.forgotten;
  const JobUse& use = found->second;
  all.time += use.time;
  all.money += use.money;
  all.repeated += use.repeated;
  all.repeated_money += use.repeated_money;
  state.metering.jobs.erase(found);
}

void PriceGpus(const Policy& policy, Node& node) {
  for (size_t i = 0; i < node.gpus.size(); ++i)
    node.gpus[i].price_micros = PriceOf(policy.prices, node, static_cast<int>(i)).micros;
}

JobUse UseOf(const State& state, const Job& job, Instant now) {
  const auto settled = state.metering.jobs.find(job.id);
  JobUse use = settled == state.metering.jobs.end() ? JobUse{} : settled->second;
  for (const LeaseId id : job.leases) AddOpen(state, *state.FindLease(id), now, use);
  return use;
}

}  // namespace gp
