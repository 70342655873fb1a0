#include "tests/property/recovery/fleet.h"

#include <algorithm>
#include <cmath>

#include "domain/cluster/next_deadline.h"
#include "domain/cluster/state/state.h"

namespace gp {
namespace {

constexpr int kFatal = 95;
constexpr int kNeverLemons = 1'000'000;
constexpr int64_t kJobsKept = 20;  // of those that have ended: each check looks at all
constexpr Duration kTaskTime = Duration::Minutes(3);  // a reset, or a test

void TakeEarlier(Instant& next, Instant at) {
  if (at.ns != 0 && (next.ns == 0 || at < next)) next = at;
}

}  // namespace

Fleet::Fleet(const FleetSetting& setting)
    : setting_(setting), rng_(setting.seed), signals_(static_cast<size_t>(setting.nodes)) {
  Policy policy = TestPolicy();
  if (!setting_.finds_lemons) policy.faults.lemon_failures = kNeverLemons;
  policy.jobs_kept = kJobsKept;
  (void)cluster_.Execute(StartController{policy});
  for (int i = 0; i < setting_.nodes; ++i) {
    const NodeId node =
        cluster_.AddNode(TestCluster::MakeFacts("n" + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1}));
    failures_[node] = cluster_.now() + TimeToFailure(node);
  }
}

bool Fleet::IsLemon(NodeId node) const {
  if (setting_.lemons == 0 || repaired_.contains(node)) return false;
  return static_cast<int>(node.value) % (setting_.nodes / setting_.lemons) == 0;
}

Duration Fleet::Exponential(Duration mean) {
  return {static_cast<int64_t>(-std::log(Even()) * static_cast<double>(mean.ns))};
}

Duration Fleet::TimeToFailure(NodeId node) {
  return Exponential({setting_.node_mtbf.ns / (IsLemon(node) ? setting_.lemon_times : 1)});
}

// A lemon's failure that only work across nodes brings about does not happen without such work.
bool Fleet::FailsNow(NodeId node) {
  if (!IsLemon(node) || !setting_.fail_together) return true;
  const auto& leases = cluster_.state().FindNode(node)->leases;
  const bool works_together = std::ranges::any_of(leases, [&](LeaseId lease) {
    return seen_.contains(lease) &&
           cluster_.state().FindJob(cluster_.state().FindLease(lease)->job)->spec->resources.nodes >
               1;
  });
  return works_together || rng_.Below(static_cast<uint64_t>(setting_.lemon_times)) == 0;
}

void Fleet::Fail(NodeId node) {
  const size_t before = interrupted_.size();
  FaultSignal signal;
  signal.number = ++signals_[node.value];
  signal.gpu = static_cast<int>(rng_.Below(8));
  signal.xid = kFatal;
  signal.at = cluster_.now();
  const auto events = cluster_.Execute(
      ReportGpus{node, cluster_.state().FindNode(node)->incarnation, {signal}, {}});
  if (events) Note(*events);
  const int hit = static_cast<int>(interrupted_.size() - before);
  figures_.interruptions += hit;
  if (IsLemon(node)) figures_.by_lemons += hit;
  ReportEnds();
}

void Fleet::ReportEnds() {
  std::set<NodeId> ending;
  for (const auto& [lease, seen] : seen_) {
    if (seen.ended) ending.insert(cluster_.state().FindLease(lease)->node);
  }
  for (const NodeId one : ending) Report(one);
  std::erase_if(seen_, [](const auto& one) { return one.second.ended; });
}

void Fleet::Report(NodeId id) {
  const Node& node = *cluster_.state().FindNode(id);
  ReportNode report{id, node.incarnation, {}, {}};
  for (const LeaseId lease : node.leases) {
    if (seen_.contains(lease)) report.leases.push_back(seen_.at(lease));
  }
  for (int gpu = 0; gpu < static_cast<int>(node.gpus.size()); ++gpu)
    report.gpus.push_back({gpu, true, false, ""});
  const auto events = cluster_.Execute(report);
  if (events) Note(*events);
}

// Jobs that are ordered to stop have stopped; incidents that require an operator get one in time.
void Fleet::Note(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* stop = std::get_if<JobStopOrdered>(&event)) {
      interrupted_.push_back(stop->job);
      for (auto& [lease, seen] : seen_) {
        if (cluster_.state().FindLease(lease)->job != stop->job) continue;
        seen.running = false;
        seen.ended = true;
        seen.outcome.end = LeaseEnd::kStopped;
      }
    }
    if (const auto* noted = std::get_if<IncidentNoted>(&event);
        noted != nullptr && noted->needs_person) {
      const auto incident = cluster_.state().faults.incidents.find(noted->incident);
      if (incident != cluster_.state().faults.incidents.end()) AskForRepair(incident->second.node);
    }
    const auto* opened = std::get_if<IncidentOpened>(&event);
    if (opened == nullptr || !opened->incident.needs_person || opened->incident.node.empty())
      continue;
    AskForRepair(opened->incident.node);
    if (opened->incident.gpu >= 0) continue;
    ++figures_.drained;
    figures_.innocent += IsLemon(cluster_.state().nodes.by_name.at(opened->incident.node)) ? 0 : 1;
  }
}

void Fleet::AskForRepair(const std::string& node) {
  if (!node.empty())
    repairs_.try_emplace(cluster_.state().nodes.by_name.at(node), cluster_.now() + setting_.repair);
}

bool Fleet::HasTasks() const {
  return std::ranges::any_of(cluster_.state().faults.troubles,
                             [](const auto& one) { return one.second.task != GpuTask::kNone; });
}

void Fleet::DoTasks() {
  std::vector<std::pair<GpuKey, uint64_t>> tasks;
  for (const auto& [key, trouble] : cluster_.state().faults.troubles) {
    if (trouble.task != GpuTask::kNone) tasks.emplace_back(key, trouble.task_number);
  }
  for (const auto& [key, number] : tasks) {
    const auto events =
        cluster_.Execute(ReportGpus{key.node,
                                    cluster_.state().FindNode(key.node)->incarnation,
                                    {},
                                    {{key.gpu, number, true, "sound"}}});
    if (events) Note(*events);
  }
}

void Fleet::Bring(NodeId node) {
  if (cluster_.state().FindNode(node)->draining && repaired_.insert(node).second)
    failures_[node] = cluster_.now() + TimeToFailure(node);
  (void)cluster_.Execute(ChangeService{node, -1, ServiceAction::kOnline, false, "repaired", {}});
}

Instant Fleet::NextAt() const {
  Instant next;
  TakeEarlier(next, tasks_at_);
  if (const Instant due = NextDeadline(cluster_.state()); due.ns != 0)
    TakeEarlier(next, std::max(due, cluster_.now()));
  for (const auto& [node, at] : failures_) TakeEarlier(next, at);
  for (const auto& [node, at] : repairs_) TakeEarlier(next, at);
  return next;
}

std::vector<JobId> Fleet::Act() {
  if (tasks_at_.ns != 0 && tasks_at_ <= now()) {
    tasks_at_ = {};
    DoTasks();
  }
  for (const auto& [node, at] : std::map(failures_)) {
    if (at > now()) continue;
    if (FailsNow(node)) Fail(node);
    failures_[node] = now() + TimeToFailure(node);
  }
  for (const auto& [node, at] : std::map(repairs_)) {
    if (at > now()) continue;
    repairs_.erase(node);
    Bring(node);
  }
  if (const Instant due = NextDeadline(cluster_.state()); due.ns != 0 && due <= now()) {
    const auto events = cluster_.Execute(Tick{});
    if (events) Note(*events);
  }
  return std::exchange(interrupted_, {});
}

std::vector<JobId> Fleet::Pass() {
  std::vector<JobId> placed;
  for (const Event& event : cluster_.Pass()) {
    const auto* gang = std::get_if<GangPlaced>(&event);
    if (gang == nullptr) continue;
    placed.push_back(gang->job);
    for (const Lease& lease : gang->leases) {
      LeaseObservation& seen = seen_[lease.id];
      seen.lease = lease.id;
      seen.running = true;
      seen.started_at = now();
      Report(lease.node);
    }
  }
  if (!HasTasks()) tasks_at_ = {};
  if (HasTasks() && tasks_at_.ns == 0) tasks_at_ = now() + kTaskTime;
  return placed;
}

JobId Fleet::Submit(int nodes) {
  JobSpec spec;
  spec.program.command = {"train"};
  spec.resources.nodes = nodes;
  spec.resources.gpus.count = 8;
  const auto events =
      cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}});
  return std::get<JobSubmitted>(events.value().front()).job;
}

void Fleet::Save(JobId job) {
  const auto first = std::ranges::find_if(
      seen_, [&](const auto& one) { return cluster_.state().FindLease(one.first)->job == job; });
  Checkpoint checkpoint;
  checkpoint.number = ++checkpoints_;
  checkpoint.step = checkpoints_;
  checkpoint.path = "/ckpt/" + std::to_string(checkpoints_);
  checkpoint.is_complete = true;
  checkpoint.at = now();
  first->second.checkpoints = {checkpoint};
  Report(cluster_.state().FindLease(first->first)->node);
}

void Fleet::End(JobId job) {
  for (auto& [lease, seen] : seen_) {
    if (cluster_.state().FindLease(lease)->job != job) continue;
    seen.running = false;
    seen.ended = true;
  }
  ReportEnds();
}

}  // namespace gp
