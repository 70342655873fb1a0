#include "tests/property/metering/month.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/support/mig_models.h"

namespace gp {
namespace {

constexpr int64_t kUnit = kMicrosPerUnit;

NodeFacts FactsOf(const std::string& name, int gpus, const std::string& model, bool mps,
                  const MigTable& mig) {
  NodeFacts facts = TestCluster::MakeFacts(name, std::vector<int>(static_cast<size_t>(gpus), 0), 0,
                                           40'960, 64, model);
  for (GpuFacts& gpu : facts.gpus) {
    gpu.mps = mps;
    gpu.mig = mig;
  }
  return facts;
}

}  // namespace

Month::Month(uint64_t seed) : rng_(seed) {
  for (int i = 0; i < 3; ++i)
    cluster_.AddNode(FactsOf("h" + std::to_string(i), 4, "H100", true, {}));
  cluster_.AddNode(FactsOf("m0", 2, "A100", false, A100Mig()));
  const NodeId spot = cluster_.AddNode(FactsOf("s0", 4, "L40S", true, {}));
  Do(ChangeNode{spot, "spot", {{"purchase", "spot"}}, {}});
  Do(SetQueue{.name = "cheap", .pool = "spot"});
  SetPrices();
}

void Month::Do(Command command) {
  const auto events = cluster_.Execute(command);
  if (events) Hear(*events);
}

void Month::Hear(const std::vector<Event>& events) {
  truth_.Hear(events);
  for (const Event& event : events) {
    figures_.preempted += std::holds_alternative<JobPreemptionOrdered>(event) ? 1 : 0;
    figures_.checkpoints += std::holds_alternative<CheckpointSaved>(event) ? 1 : 0;
  }
}

void Month::SetPrices() {
  StartController start;
  start.policy = TestPolicy();
  start.policy.min_run = Duration::Minutes(1);
  PriceList& prices = start.policy.prices;
  prices.micros_per_kwh = rng_.Between(0, 400'000);
  const auto rule = [&](const std::string& model, int64_t most, int watts) {
    PriceRule one;
    one.model = model;
    one.per_gpu_hour.micros = rng_.Between(0, static_cast<int>(most));
    one.watts = watts;
    prices.rules.push_back(one);
  };
  PriceRule cheap;
  cheap.label_name = "purchase";
  cheap.label_value = "spot";
  cheap.per_gpu_hour.micros = rng_.Between(0, kUnit / 2);
  prices.rules.push_back(cheap);
  rule("H100", 3 * kUnit, 1'300);
  rule("A100", 2 * kUnit, 700);
  Do(start);
}

void Month::Pass() {
  Hear(cluster_.Pass());
  for (const auto& [id, lease] : cluster_.state().leases.all) {
    LeaseObservation& seen = seen_[id];
    if (seen.lease.value != 0) continue;
    seen.lease = id;
    seen.running = true;
    seen.started_at = cluster_.now();
  }
}

void Month::Submit() {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.memory_bytes = 1 << 20;
  spec.policy.priority = rng_.Between(0, kPriorityMax);
  spec.policy.preemptible = rng_.Chance(1, 2);
  spec.recovery.checkpoint.directory = "/ckpt";
  if (rng_.Chance(1, 4)) spec.policy.queue = "cheap";
  switch (rng_.Below(4)) {
    case 0:
      spec.resources.gpus.count = rng_.Between(1, 4);
      spec.resources.nodes = rng_.Between(1, 2);
      break;
    case 1:
    case 2:
      spec.resources.gpus.isolation = rng_.Chance(1, 2) ? Isolation::kTimeslice : Isolation::kMps;
      spec.resources.gpus.share_thousandths = rng_.Between(1, 1'000);
      if (rng_.Chance(1, 2)) spec.resources.gpus.memory_mib = rng_.Between(1, 40'960);
      break;
    default:
      spec.resources.gpus.isolation = Isolation::kMig;
      spec.resources.gpus.share_thousandths = rng_.Between(1, 1'000);
      spec.policy.queue.clear();
  }
  ++figures_.jobs;
  const std::string user = rng_.Chance(1, 2) ? "ana" : "ben";
  Do(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}});
}

const Lease* Month::AnyLease() {
  const auto& leases = cluster_.state().leases.all;
  if (leases.empty()) return nullptr;
  const Lease& lease =
      std::next(leases.begin(), static_cast<std::ptrdiff_t>(rng_.Below(leases.size())))->second;
  return silent_.contains(lease.node) ? nullptr : &lease;
}

void Month::Report(NodeId id) {
  const Node& node = *cluster_.state().FindNode(id);
  if (silent_.contains(id)) return;
  ReportNode report{id, node.incarnation, {}, {}};
  for (const LeaseId lease : node.leases) report.leases.push_back(seen_.at(lease));
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu)
    report.gpus.push_back({gpu, true, false, ""});
  Do(report);
}

void Month::EndAny() {
  const Lease* lease = AnyLease();
  if (lease == nullptr) return;
  LeaseObservation& seen = seen_.at(lease->id);
  seen.running = false;
  seen.ended = true;
  constexpr LeaseEnd kEnds[] = {LeaseEnd::kExited, LeaseEnd::kExited, LeaseEnd::kExited,
                                LeaseEnd::kOutOfMemory, LeaseEnd::kSupervisorLost};
  seen.outcome.end = kEnds[rng_.Below(std::size(kEnds))];
  Report(lease->node);
}

void Month::SaveAny() {
  const Lease* lease = AnyLease();
  if (lease == nullptr) return;
  Checkpoint checkpoint;
  checkpoint.number = ++checkpoints_;
  checkpoint.path = "/ckpt/" + std::to_string(checkpoints_);
  checkpoint.is_complete = true;
  checkpoint.at = cluster_.now();
  seen_.at(lease->id).checkpoints = {checkpoint};
  Report(lease->node);
}

void Month::Fail() {
  const NodeId node = AnyNode();
  if (silent_.contains(node)) return;
  const Node& at = *cluster_.state().FindNode(node);
  FaultSignal signal;
  signal.number = ++signals_[node];
  signal.gpu = static_cast<int>(rng_.Below(at.gpus.size()));
  signal.xid = rng_.Chance(1, 2) ? 95 : 119;
  signal.at = cluster_.now();
  ++figures_.faults;
  Do(ReportGpus{node, at.incarnation, {signal}, {}});
}

void Month::ChangeService() {
  const NodeId node = AnyNode();
  const int gpus = static_cast<int>(cluster_.state().FindNode(node)->gpus.size());
  const int gpu = rng_.Between(-1, gpus - 1);
  constexpr ServiceAction kActions[] = {ServiceAction::kDrain, ServiceAction::kOffline,
                                        ServiceAction::kOnline, ServiceAction::kOnline};
  Do(gp::ChangeService{node, gpu, kActions[rng_.Below(4)], rng_.Chance(1, 2), "test", {}});
}

// Its agent is not heard of, and all that ran there has ended when it is heard of again.
void Month::Silence() {
  const NodeId node = AnyNode();
  if (silent_.insert(node).second) {
    Do(ExpireHeartbeat{node});
    return;
  }
  silent_.erase(node);
  const Node& lost = *cluster_.state().FindNode(node);
  JoinNode join;
  join.facts = lost.facts;
  join.incarnation = lost.incarnation + 1;
  join.fresh = true;
  Do(join);
  Report(node);
}

void Month::Obey() {
  std::set<NodeId> nodes;
  for (const auto& [id, lease] : cluster_.state().leases.all) {
    if (lease.stop == StopOrder::kNone || silent_.contains(lease.node)) continue;
    LeaseObservation& seen = seen_.at(id);
    seen.running = false;
    seen.ended = true;
    seen.outcome.end = LeaseEnd::kStopped;
    nodes.insert(lease.node);
  }
  for (const NodeId node : nodes) Report(node);
}

void Month::DoTasks() {
  std::vector<std::pair<GpuKey, uint64_t>> tasks;
  for (const auto& [key, trouble] : cluster_.state().faults.troubles) {
    if (trouble.task != GpuTask::kNone && !silent_.contains(key.node))
      tasks.emplace_back(key, trouble.task_number);
  }
  for (const auto& [key, number] : tasks)
    Do(ReportGpus{key.node,
                  cluster_.state().FindNode(key.node)->incarnation,
                  {},
                  {{key.gpu, number, true, "sound"}}});
}

void Month::BringBack() {
  for (const Node& node : cluster_.state().nodes.all) {
    if (!silent_.contains(node.id))
      Do(gp::ChangeService{node.id, -1, ServiceAction::kOnline, false, "looked at", {}});
  }
}

void Month::Step() {
  const uint64_t dice = rng_.Below(100);
  if (dice < 36) {
    Submit();
  } else if (dice < 62) {
    EndAny();
  } else if (dice < 74) {
    SaveAny();
  } else if (dice < 78) {
    Fail();
  } else if (dice < 82) {
    ChangeService();
  } else if (dice < 86) {
    Silence();
  } else if (dice < 88) {
    SetPrices();
  } else if (dice < 92) {
    BringBack();
  } else {
    DoTasks();
  }
  Do(Tick{});
  Pass();
}

void Month::Run(Duration length) {
  const Instant end = cluster_.now() + length;
  while (cluster_.now() < end && cluster_.broken().empty()) {
    Obey();
    Step();
    const Instant from = cluster_.now();
    const Instant until =
        std::min(end, from + Duration::Milliseconds(rng_.Between(0, 20 * 60'000)));
    truth_.Count(cluster_.state(), from, until);
    cluster_.Advance(until - from);
  }
}

}  // namespace gp
