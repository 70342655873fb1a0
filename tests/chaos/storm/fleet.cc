#include "tests/chaos/storm/fleet.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Of a program, as measured of the real agent
constexpr Duration kStartTime = Duration::Milliseconds(5);
constexpr Duration kKillTime = Duration::Milliseconds(20);
// A reset takes seconds; here it shall not count
constexpr Duration kTaskTime = Duration::Milliseconds(500);
constexpr Duration kBeat = Duration::Seconds(3);
constexpr int kFatal = 95;

void Sleep(Duration span) { std::this_thread::sleep_for(std::chrono::nanoseconds(span.ns)); }

}  // namespace

Fleet::~Fleet() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Fleet::Join(int nodes) {
  for (int i = 0; i < nodes; ++i) {
    const auto facts = std::make_shared<const NodeFacts>(
        TestCluster::MakeFacts("node-" + std::to_string(i), {0, 0, 1, 1}));
    (void)gateway_.Execute("node", "", JoinNode{facts, 1, true, {}, 0});
    ReportNode report{{static_cast<uint32_t>(i)}, 1, {}, {}};
    for (int gpu = 0; gpu < kFleetGpus; ++gpu) report.gpus.push_back({gpu, true, false, ""});
    (void)gateway_.Execute("node", "", std::move(report));
    gateway_.HeardFrom({static_cast<uint32_t>(i)});
    const std::lock_guard lock(mutex_);
    nodes_[static_cast<uint32_t>(i)] = {};
  }
  threads_.emplace_back([this] { Answer(); });
  threads_.emplace_back([this] { Beat(); });
}

void Fleet::Run(int jobs) {
  JobSpec spec;
  spec.program.command = {"train"};
  // In a storm a job may be hit again where it goes
  spec.recovery.retry.backoff_min = Duration::Milliseconds(100);
  const auto shared = std::make_shared<const JobSpec>(spec);
  std::vector<std::pair<ClientRequest, Command>> commands;
  for (int i = 0; i < jobs; ++i)
    commands.emplace_back("", SubmitJob{shared, {"user-" + std::to_string(i % 50), 1000, 1000}});
  (void)gateway_.ExecuteAll("user", std::move(commands), {});
  (void)Await([&] { return static_cast<int>(running_.size()) == jobs; }, Duration::Minutes(5));
}

bool Fleet::Await(const std::function<bool()>& done, Duration patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(patience.ns), done);
}

void Fleet::Strike(int nodes, Duration over, Duration patience) {
  const Instant begin = clock_.Now();
  for (int i = 0; i < nodes; ++i) {
    const Instant at = begin + Duration{over.ns / nodes * i};
    if (at > clock_.Now()) Sleep(at - clock_.Now());
    FaultSignal signal;
    signal.xid = kFatal;
    signal.is_fatal = true;
    const auto id = static_cast<uint32_t>(i);
    {
      const std::lock_guard lock(mutex_);
      Node& node = nodes_[id];
      // A GPU that somebody is on, where there is one.
      for (const auto& [lease, seen] : node.leases) {
        if (!seen.running) continue;
        signal.gpu = places_[lease].second;
        struck_jobs_[jobs_[lease]] = {id, signal.gpu};
        stricken_[{id, signal.gpu}].job = jobs_[lease];
        break;
      }
      signal.number = ++node.signals;
      signal.at = clock_.Now();
      stricken_[{id, signal.gpu}].reported = signal.at;
    }
    (void)gateway_.Post("node", ReportGpus{{id}, 1, {signal}, {}}, {});
  }
  (void)Await(
      [&] {
        return std::ranges::all_of(stricken_, [](const auto& one) {
          return one.second.taken_out.ns != 0 &&
                 (one.second.job.value == 0 || one.second.running.ns != 0);
        });
      },
      patience);
}

bool Fleet::AwaitAllBack(Duration patience) {
  return Await(
      [&] {
        return std::ranges::all_of(stricken_,
                                   [](const auto& one) { return one.second.back.ns != 0; });
      },
      patience);
}

void Fleet::OnCommit(const State&, const CommittedRecords& committed) {
  {
    const std::lock_guard lock(mutex_);
    for (const Event& event : committed.events) Note(event);
  }
  changed_.notify_all();
}

// The state is that after the commit's last record: what an earlier event of it names may be gone.
void Fleet::Note(const Event& event) {
  const Instant now = clock_.Now();
  if (const auto* placed = std::get_if<GangPlaced>(&event)) {
    for (const Lease& lease : placed->leases) {
      places_[lease.id] = {lease.node, lease.gpus[0].gpu};
      jobs_[lease.id] = placed->job;
      leases_[placed->job] = lease.id;
      due_.push({now + kStartTime, lease.node, lease.id});
    }
  } else if (const auto* stop = std::get_if<JobStopOrdered>(&event)) {
    const LeaseId lease = leases_.at(stop->job);
    due_.push({now + kKillTime, places_.at(lease).first, lease, true});
  } else if (const auto* gpu = std::get_if<GpuConditionChanged>(&event)) {
    const auto struck = stricken_.find({gpu->node.value, gpu->gpu});
    if (struck == stricken_.end()) return;
    if (gpu->to == GpuCondition::kQuarantined) struck->second.taken_out = now;
    if (gpu->to == GpuCondition::kAvailable) struck->second.back = now;
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event)) {
    running_.erase(requeued->job);
    if (const auto struck = struck_jobs_.find(requeued->job); struck != struck_jobs_.end())
      stricken_[struck->second].queued = now;
  } else if (const auto* started = std::get_if<JobStarted>(&event)) {
    running_.insert(started->job);
    const auto struck = struck_jobs_.find(started->job);
    if (struck != struck_jobs_.end()) stricken_[struck->second].running = now;
  } else if (const auto* task = std::get_if<GpuTaskOrdered>(&event)) {
    resets_ += task->task == GpuTask::kReset ? 1 : 0;
    due_.push({now + kTaskTime, task->node, {}, false, {task->gpu, task->number, true, "sound"}});
  } else if (std::holds_alternative<BreakerOpened>(event)) {
    ++breakers_;
  } else if (std::holds_alternative<NodeDrainChanged>(event)) {
    ++drains_;
  }
}

void Fleet::Answer() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Due due = due_.top();
    const Duration wait = due.at - clock_.Now();
    if (wait.ns > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(wait.ns));
      continue;
    }
    due_.pop();
    Say(due);
  }
}

// With all that the node holds, as agents do.  REQUIRES: the lock is held.
void Fleet::Say(const Due& due) {
  Node& node = nodes_[due.node.value];
  if (due.lease.value == 0) {
    (void)gateway_.Post("node", ReportGpus{due.node, node.incarnation, {}, {due.result}}, {});
    return;
  }
  LeaseObservation& seen = node.leases[due.lease];
  seen.lease = due.lease;
  if (seen.started_at.ns == 0) seen.started_at = clock_.Now();
  seen.running = !due.ends;
  seen.ended = due.ends;
  if (due.ends) seen.outcome.end = LeaseEnd::kStopped;
  ReportNode report{due.node, node.incarnation, {}, {}};
  for (const auto& [id, one] : node.leases) report.leases.push_back(one);
  (void)gateway_.Post("node", std::move(report), {});
  if (due.ends) node.leases.erase(due.lease);
}

void Fleet::Beat() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    for (const auto& [id, node] : nodes_) {
      gateway_.HeardFrom({id});
      ReportNode report{{id}, node.incarnation, {}, {}};
      for (const auto& [lease, one] : node.leases) report.leases.push_back(one);
      (void)gateway_.Post("node", std::move(report), {});
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(kBeat.ns), [this] { return stopping_; });
  }
}

}  // namespace gp
