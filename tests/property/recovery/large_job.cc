#include "tests/property/recovery/large_job.h"

#include <algorithm>
#include <cmath>

#include "domain/cluster/state.h"

namespace gp {
namespace {

constexpr int kFatal = 95;
constexpr int kNeverLemons = 1'000'000;
constexpr Duration kTaskTime = Duration::Minutes(3);  // a reset, or a test

void TakeEarlier(Instant& next, Instant at) {
  if (at.ns != 0 && (next.ns == 0 || at < next)) next = at;
}

}  // namespace

LargeJob::LargeJob(const LargeJobSetting& setting) : setting_(setting), rng_(setting.seed), signals_(static_cast<size_t>(setting.nodes + setting.spares)) {
  Policy policy = TestPolicy();
  if (!setting_.finds_lemons) policy.faults.lemon_failures = kNeverLemons;
  (void)cluster_.Execute(StartController{policy});
  for (int i = 0; i < setting_.nodes + setting_.spares; ++i) {
    const NodeId node = cluster_.AddNode(TestCluster::MakeFacts("n" + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1}));
    failures_[node] = cluster_.now() + TimeToFailure(node);
  }
}

Duration LargeJob::TimeToFailure(NodeId node) {
  const double even = (static_cast<double>(rng_.Below(1'000'000'000)) + 0.5) / 1e9;
  const double mean_ns = static_cast<double>(setting_.node_mtbf.ns) / (IsLemon(node) ? setting_.lemon_times : 1);
  return {static_cast<int64_t>(-std::log(even) * mean_ns)};
}

void LargeJob::Place() {
  for (const Event& event : cluster_.Pass()) {
    const auto* placed = std::get_if<GangPlaced>(&event);
    if (placed == nullptr) continue;
    for (const Lease& lease : placed->leases) {
      LeaseObservation& seen = seen_[lease.id];
      seen.lease = lease.id;
      seen.running = true;
      seen.started_at = cluster_.now();
      Report(lease.node);
    }
    Begin();
  }
}

void LargeJob::Begin() {
  works_since_ = cluster_.now() + setting_.start_time;
  saved_at_ = works_since_ + setting_.checkpoint_every + setting_.checkpoint_cost;
}

void LargeJob::Report(NodeId id) {
  const Node& node = *cluster_.state().FindNode(id);
  ReportNode report{id, node.incarnation, {}, {}};
  for (const LeaseId lease : node.leases) {
    if (seen_.contains(lease)) report.leases.push_back(seen_.at(lease));
  }
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu) report.gpus.push_back({gpu, true, false, ""});
  const auto events = cluster_.Execute(report);
  if (events) Note(*events);
}

// Whoever is told to stop has stopped; who asks for a person gets one in time.
void LargeJob::Note(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (std::holds_alternative<JobStopOrdered>(event)) {
      ++figures_.interruptions;
      works_since_ = saved_at_ = {};
      for (auto& [lease, seen] : seen_) {
        seen.running = false;
        seen.ended = true;
        seen.outcome.end = LeaseEnd::kStopped;
      }
    }
    const auto* opened = std::get_if<IncidentOpened>(&event);
    const auto* noted = std::get_if<IncidentNoted>(&event);
    if (noted != nullptr && noted->needs_person) {
      const auto incident = cluster_.state().incidents.find(noted->incident);
      if (incident != cluster_.state().incidents.end() && !incident->second.node.empty()) {
        repairs_.try_emplace(cluster_.state().nodes_by_name.at(incident->second.node), cluster_.now() + setting_.repair);
      }
    }
    if (opened == nullptr || !opened->incident.needs_person || opened->incident.node.empty()) continue;
    const NodeId node = cluster_.state().nodes_by_name.at(opened->incident.node);
    repairs_.try_emplace(node, cluster_.now() + setting_.repair);
    if (opened->incident.gpu >= 0) continue;
    ++figures_.drained;
    figures_.innocent += IsLemon(node) ? 0 : 1;
  }
}

void LargeJob::Fail(NodeId node) {
  FaultSignal signal;
  signal.number = ++signals_[node.value];
  signal.gpu = static_cast<int>(rng_.Below(8));
  signal.xid = kFatal;
  signal.at = cluster_.now();
  const auto events = cluster_.Execute(ReportGpus{node, cluster_.state().FindNode(node)->incarnation, {signal}, {}});
  if (events) Note(*events);
  std::vector<NodeId> ending;
  for (const auto& [lease, seen] : seen_) {
    if (seen.ended) ending.push_back(cluster_.state().FindLease(lease)->node);
  }
  for (const NodeId one : ending) Report(one);
  std::erase_if(seen_, [](const auto& one) { return one.second.ended; });
  failures_[node] = cluster_.now() + TimeToFailure(node);
}

void LargeJob::SaveCheckpoint() {
  figures_.useful = figures_.useful + setting_.checkpoint_every;
  const LeaseId first = seen_.begin()->first;
  Checkpoint checkpoint;
  checkpoint.number = ++checkpoints_;
  checkpoint.step = checkpoints_;
  checkpoint.path = "/ckpt/" + std::to_string(checkpoints_);
  checkpoint.is_complete = true;
  checkpoint.at = cluster_.now();
  seen_[first].checkpoints = {checkpoint};
  Report(cluster_.state().FindLease(first)->node);
  saved_at_ = cluster_.now() + setting_.checkpoint_every + setting_.checkpoint_cost;
}

void LargeJob::DoTasks() {
  std::vector<std::pair<GpuKey, uint64_t>> tasks;
  for (const auto& [key, trouble] : cluster_.state().troubles) {
    if (trouble.task != GpuTask::kNone) tasks.emplace_back(key, trouble.task_number);
  }
  for (const auto& [key, number] : tasks) {
    const auto events = cluster_.Execute(ReportGpus{key.node, cluster_.state().FindNode(key.node)->incarnation, {}, {{key.gpu, number, true, "sound"}}});
    if (events) Note(*events);
  }
}

void LargeJob::Bring(NodeId node) {
  if (cluster_.state().FindNode(node)->draining && repaired_.insert(node).second) failures_[node] = cluster_.now() + TimeToFailure(node);
  (void)cluster_.Execute(ChangeService{node, -1, ServiceAction::kOnline, false, "repaired", {}});
}

LargeJobFigures LargeJob::Run() {
  JobSpec spec;
  spec.command = {"train"};
  spec.nodes = setting_.nodes;
  spec.gpus.count = 8;
  (void)cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}});
  const Instant begin = cluster_.now();
  const Instant end = begin + setting_.length;
  Place();
  Instant tasks_at;
  while (cluster_.now() < end && cluster_.broken().empty()) {
    const bool has_tasks = std::ranges::any_of(cluster_.state().troubles, [](const auto& one) { return one.second.task != GpuTask::kNone; });
    if (!has_tasks) tasks_at = {};
    if (has_tasks && tasks_at.ns == 0) tasks_at = cluster_.now() + kTaskTime;
    Instant next = end;
    TakeEarlier(next, saved_at_);
    TakeEarlier(next, tasks_at);
    if (const Instant due = NextDeadline(cluster_.state()); due.ns != 0) TakeEarlier(next, std::max(due, cluster_.now()));
    for (const auto& [node, at] : failures_) TakeEarlier(next, at);
    for (const auto& [node, at] : repairs_) TakeEarlier(next, at);
    cluster_.Advance(next - cluster_.now());
    if (saved_at_ == next) SaveCheckpoint();
    if (tasks_at == next) {
      tasks_at = {};
      DoTasks();
    }
    for (const auto& [node, at] : std::map(failures_)) {
      if (at <= next) Fail(node);
    }
    for (const auto& [node, at] : std::map(repairs_)) {
      if (at > next) continue;
      repairs_.erase(node);
      Bring(node);
    }
    if (const Instant due = NextDeadline(cluster_.state()); due.ns != 0 && due <= cluster_.now()) {
      const auto events = cluster_.Execute(Tick{});
      if (events) Note(*events);
    }
    Place();
  }
  figures_.elapsed = cluster_.now() - begin;
  return figures_;
}

}  // namespace gp
