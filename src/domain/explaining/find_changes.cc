#include "domain/explaining/find_changes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/preemption.h"
#include "domain/cluster/quota.h"
#include "domain/explaining/names.h"

namespace gp {
namespace {

constexpr Duration kUsualLimit = Duration::Minutes(24 * 60);
constexpr size_t kQueuesTried = 64;
constexpr size_t kEndsTried = 512;  // running jobs, the earliest ends first
constexpr size_t kSparesTried = 16;
constexpr int kClassPriority[kClasses] = {250, 500, 750};

class Finder {
 public:
  Finder(WhatIf& what_if, const Job& job) : what_if_(what_if), job_(job), spec_(*job.spec) {}

  std::vector<Change> Run() {
    TryFewerGpus();
    TryFewerNodes();
    TryTopology();
    TryModels();
    TryGpuMemory();
    TryHost();
    TryNodeLabels();
    TryQueues();
    TryTimeLimit();
    TryPreemptible();
    TryPriority();
    TryMoves();
    TryWait();
    return std::move(changes_);
  }

 private:
  Job With(JobSpec spec) const {
    Job changed = job_;
    changed.spec = std::make_shared<const JobSpec>(std::move(spec));
    return changed;
  }
  bool Starts(const Job& changed) {
    return FindProblems(*changed.spec).empty() && what_if_.Place(changed).has_value();
  }

  void Add(ChangeKind kind, const Job& changed, std::string text) {
    Change change;
    change.kind = kind;
    change.spec = changed.spec;
    change.queue = changed.queue;
    change.text = std::move(text);
    changes_.push_back(std::move(change));
  }

  // The spec with one field changed; added if it starts.
  template <typename F>
  bool Try(ChangeKind kind, const std::string& text, const F& edit) {
    JobSpec spec = spec_;
    edit(spec);
    const Job changed = With(std::move(spec));
    if (!Starts(changed)) return false;
    Add(kind, changed, text);
    return true;
  }

  // The largest value from `least` to below `now` with which it starts.  A smaller request always
  // fits where a larger one does.
  template <typename F>
  void TryMost(ChangeKind kind, int64_t now, int64_t least, const F& edit, const std::string& name,
               const std::string& unit = "") {
    int64_t good = least - 1;
    int64_t bad = now;
    while (bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      JobSpec spec = spec_;
      edit(spec, middle);
      (Starts(With(std::move(spec))) ? good : bad) = middle;
    }
    if (good < least) return;
    JobSpec spec = spec_;
    edit(spec, good);
    Add(kind, With(std::move(spec)),
        name + " " + std::to_string(good) + unit + " instead of " + std::to_string(now) + unit);
  }

  // One by one: fewer GPUs are not always easier to place near each other.
  void TryFewerGpus() {
    for (int count = spec_.gpus.count - 1; count > 0; --count) {
      const std::string text = "gpus: " + std::to_string(count) + " instead of " +
                               std::to_string(spec_.gpus.count) +
                               (spec_.nodes > 1 ? " on each node" : "");
      if (Try(ChangeKind::kFewerGpus, text, [count](JobSpec& spec) { spec.gpus.count = count; }))
        return;
    }
  }

  void TryFewerNodes() {
    TryMost(
        ChangeKind::kFewerNodes, spec_.nodes, 1,
        [](JobSpec& spec, int64_t nodes) { spec.nodes = static_cast<int>(nodes); }, "nodes:");
  }

  void TryTopology() {
    const auto across = [](JobSpec& spec) { spec.topology.allow_cross_numa = true; };
    const auto weaker = [](JobSpec& spec) { spec.topology.require = TopologyLevel::kNone; };
    const bool strict = !spec_.topology.allow_cross_numa;
    const bool requires_some = spec_.topology.require != TopologyLevel::kNone;
    if (strict && Try(ChangeKind::kTopology, "topology.allow_cross_numa: true", across)) return;
    if (requires_some && Try(ChangeKind::kTopology, "topology.require: none", weaker)) return;
    if (!strict || !requires_some) return;
    Try(ChangeKind::kTopology, "topology: {require: none, allow_cross_numa: true}",
        [&](JobSpec& spec) {
          across(spec);
          weaker(spec);
        });
  }

  template <typename F>
  void ForEachGpu(const F& visit) {
    for (ClassId id = 0; id < what_if_.classes().size(); ++id) {
      const NodeClasses::Class& one = what_if_.classes().Of(id);
      if (one.members.empty()) continue;
      for (const GpuFacts& gpu : one.example.facts->gpus) visit(gpu);
    }
  }

  void TryModels() {
    if (spec_.gpus.models.empty()) return;
    std::set<std::string> models;
    ForEachGpu([&](const GpuFacts& gpu) { models.insert(gpu.model); });
    for (const std::string& model : models) {
      if (Try(ChangeKind::kModel, "model: " + model,
              [&](JobSpec& spec) { spec.gpus.models = {model}; }))
        return;
    }
  }

  void TryGpuMemory() {
    std::set<int64_t, std::greater<>> sizes;
    ForEachGpu([&](const GpuFacts& gpu) { sizes.insert(gpu.memory_mib); });
    for (const int64_t size : sizes) {
      if (size >= spec_.gpus.memory_mib_min) continue;
      const std::string text = "memory_min: " + std::to_string(size) + "MiB instead of " +
                               std::to_string(spec_.gpus.memory_mib_min) + "MiB";
      if (Try(ChangeKind::kGpuMemory, text,
              [size](JobSpec& spec) { spec.gpus.memory_mib_min = size; }))
        return;
    }
  }

  void TryHost() {
    TryMost(
        ChangeKind::kHost, spec_.cpus, 1,
        [](JobSpec& spec, int64_t cpus) { spec.cpus = static_cast<int>(cpus); }, "cpus:");
    constexpr int64_t kGiB = int64_t{1} << 30;
    const auto less = [](JobSpec& spec, int64_t gib) {
      spec.memory_bytes = gib * kGiB;
      spec.shm_bytes = std::min(spec.shm_bytes, spec.memory_bytes);
    };
    TryMost(ChangeKind::kHost, (spec_.memory_bytes + kGiB - 1) / kGiB, 1, less, "memory:", "GiB");
  }

  void TryNodeLabels() {
    for (const auto& [name, value] : spec_.node_labels) {
      if (Try(ChangeKind::kNodeLabels, "without the node label " + name + "=" + value,
              [&](JobSpec& spec) { spec.node_labels.erase(name); }))
        return;
    }
    if (spec_.node_labels.size() > 1)
      Try(ChangeKind::kNodeLabels, "without node labels",
          [](JobSpec& spec) { spec.node_labels.clear(); });
  }

  void TryQueues() {
    if (!spec_.reservation.empty()) return;  // a reservation is for certain queues only
    size_t tried = 0;
    for (const auto& [name, queue] : what_if_.state().queues) {
      if (name == job_.queue || what_if_.state().HasChildren(name) || ++tried > kQueuesTried)
        continue;
      Job changed = With(spec_);
      changed.queue = name;
      changed.pool = queue.pool;
      if (!Starts(changed)) continue;
      return Add(ChangeKind::kQueue, changed, "queue: " + name);
    }
  }

  // The longest limit with which it ends before reserved nodes are needed.
  void TryTimeLimit() {
    std::set<Instant, std::greater<>> times;
    for (const auto& [node, backfill] : what_if_.plan().backfill)
      times.insert(backfill.shadow_time);
    for (const auto& [name, reservation] : what_if_.state().reservations) {
      times.insert(name == spec_.reservation ? reservation.ends_at : reservation.starts_at);
    }
    for (const Instant time : times) {
      const int64_t minutes = (time - what_if_.at() - spec_.grace - kEndMargin).ToSeconds() / 60;
      if (minutes < 1) return;
      // The shadow time depends on jobs without a time limit, so any limit is short enough.
      const Duration limit = time == kUnknownStart ? kUsualLimit : Duration::Minutes(minutes);
      if (Try(ChangeKind::kTimeLimit, "time_limit: " + ToText(limit),
              [limit](JobSpec& spec) { spec.time_limit = limit; }))
        return;
    }
  }

  // The job is placed, or it is placed after victims have left.
  bool TryOutranking(ChangeKind kind, JobSpec spec, const std::string& text) {
    const Job changed = With(std::move(spec));
    if (Starts(changed)) {
      Add(kind, changed, text);
      return true;
    }
    const auto victims = what_if_.Interrupt(changed);
    if (!victims) return false;
    Add(kind, changed, text + ": " + Names(*victims) + " would be preempted");
    changes_.back().interrupts = *victims;
    return true;
  }

  void TryPreemptible() {
    if (spec_.preemptible) return;
    JobSpec spec = spec_;
    spec.preemptible = true;
    TryOutranking(ChangeKind::kPreemptible, std::move(spec), "preemptible: true");
  }

  void TryPriority() {
    for (int higher = ClassOf(spec_.priority) + 1; higher < kClasses; ++higher) {
      JobSpec spec = spec_;
      spec.priority = kClassPriority[higher];
      if (TryOutranking(ChangeKind::kPriority, std::move(spec),
                        "priority: " + std::to_string(kClassPriority[higher])))
        return;
    }
  }

  // The smallest number of running jobs, in the order of their ends, that must end before it fits.
  void TryWait() {
    std::vector<const Job*> running = ByEnd();
    // Before the next pass it may fit without any end; then no job needs to end first.
    if (running.empty() || what_if_.FitsWithout(job_, {}) || !what_if_.FitsWithout(job_, running))
      return;
    size_t bad = 0;
    size_t good = running.size();
    while (good - bad > 1) {
      const size_t middle = bad + (good - bad) / 2;
      const std::vector<const Job*> first(running.begin(),
                                          running.begin() + static_cast<std::ptrdiff_t>(middle));
      (what_if_.FitsWithout(job_, first) ? good : bad) = middle;
    }
    running.resize(good);
    SpareWhoIsElsewhere(running);
    for (size_t i = running.size(), tried = 0; i-- > 0 && tried < kSparesTried; ++tried) {
      std::vector<const Job*> others = running;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (what_if_.FitsWithout(job_, others)) running = std::move(others);
    }
    AddWait(running);
  }

  void TryMoves() {
    Change change;
    change.kind = ChangeKind::kMove;
    change.queue = job_.queue;
    change.moves = what_if_.Move(job_);
    if (change.moves.empty()) return;
    change.text = "move " + Names(change.moves) + " elsewhere (gpu-platform defrag plan)";
    changes_.push_back(std::move(change));
  }

  std::vector<const Job*> ByEnd() const {
    std::vector<const Job*> running;
    std::set<JobId> seen;
    for (const auto& [id, lease] : what_if_.state().leases) {
      const Job& other = *what_if_.state().FindJob(lease.job);
      if (other.pool == job_.pool && seen.insert(other.id).second) running.push_back(&other);
    }
    const auto order = [](const Job* job) { return std::pair(LatestEnd(*job), job->id); };
    const size_t count = std::min(running.size(), kEndsTried);
    std::ranges::partial_sort(running, running.begin() + static_cast<std::ptrdiff_t>(count), {},
                              order);
    running.resize(count);
    return running;
  }

  // The end of the last one is decisive, and most of those before it run on other nodes.
  void SpareWhoIsElsewhere(std::vector<const Job*>& running) const {
    std::set<NodeId> nodes;
    const auto node_of = [&](LeaseId id) { return what_if_.state().FindLease(id)->node; };
    for (const LeaseId id : running.back()->leases) nodes.insert(node_of(id));
    std::vector<const Job*> near;
    std::ranges::copy_if(running, std::back_inserter(near), [&](const Job* other) {
      return std::ranges::any_of(other->leases,
                                 [&](LeaseId id) { return nodes.contains(node_of(id)); });
    });
    if (what_if_.FitsWithout(job_, near)) running = std::move(near);
  }

  void AddWait(const std::vector<const Job*>& running) {
    Change change;
    change.kind = ChangeKind::kWait;
    change.queue = job_.queue;
    Instant latest{0};
    for (const Job* other : running) {
      change.waits_for.push_back(other->id);
      latest = std::max(latest, LatestEnd(*other));
    }
    if (latest != kNever) change.starts_by = latest;
    std::ranges::sort(change.waits_for);
    change.text =
        "wait until " + Names(change.waits_for) +
        (running.size() == 1 ? " has ended" : " have ended") +
        (change.starts_by.ns == 0
             ? ""
             : ", at " + ToRfc3339(WallOf(what_if_.state().time, latest)) + " at the latest");
    changes_.push_back(std::move(change));
  }

  WhatIf& what_if_;
  const Job& job_;
  const JobSpec& spec_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> FindChanges(WhatIf& what_if, const Job& job) {
  return Finder(what_if, job).Run();
}

}  // namespace gp
