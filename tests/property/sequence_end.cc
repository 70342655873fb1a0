// How a generated sequence ends, and what is known of its jobs whatever the ledger says.

#include <algorithm>
#include <set>

#include "domain/cluster/dependencies.h"
#include "domain/cluster/next_deadline.h"
#include "domain/scheduling/reasons/why_pending.h"
#include "tests/property/sequence.h"

namespace gp {
namespace {

constexpr int kRoundsMax = 1'000;

}  // namespace

void Sequence::Heal() {
  HealGpus();
  RestoreHardware();
  for (Machine& machine : machines_) {
    machine.powered = true;
    machine.cut_until = {};
    if (!machine.running) machine.agent.Begin(false);
    machine.running = true;
    for (GpuObservation& gpu : machine.gpus) gpu = {gpu.gpu, true, false, ""};
    Connect(machine);
    while (ReceiveUp(machine)) continue;
    if (machine.session == 0) continue;
    Tell(ChangeService{*machine.agent.node(), -1, ServiceAction::kOnline, false, "healed"});
    ReceiveDown(machine, true);
    SendReport(machine);
  }
  LiftQuotas();
}

// Persons let go on what was held, by them or for its idle GPUs.
void Sequence::ReleaseHeld() {
  for (uint64_t id = 1; id <= ledger_.state().jobs.last; ++id) {
    const Job* job = ledger_.state().FindJob({id});
    if (job != nullptr && job->state == JobState::kHeld) Tell(ReleaseJob{job->id});
  }
}

// A while in which everybody does what is due; false: nobody had anything to do.
bool Sequence::SettleRound() {
  now_ = now_ + Duration::Milliseconds(10);
  world_.AdvanceTo(now_);
  const size_t records_before = ledger_.records().size();
  bool busy = !Tell(Tick{})->empty();
  ReleaseHeld();
  to_exit_ = world_.alive();
  for (Machine& machine : machines_) {
    machine.cut_until = {};
    busy = Connect(machine) || busy;  // one that was refused while a GPU of its was elsewhere
    busy = busy || machine.orders_due || !machine.down.empty();
    while (ReceiveDown(machine, true)) continue;
    while (ReceiveUp(machine)) continue;
    busy = EndTasks(machine, true) || busy;
    busy = BringBack(machine) || busy;
  }
  for (const LeaseId lease : to_exit_) world_.Exit(now_, lease, 0);
  busy = busy || !to_exit_.empty();
  // As the controller does: a plan only where something happened since the last.
  const bool is_due = look_again_at_.ns != 0 && now_ >= look_again_at_;
  if (is_due || ledger_.records().size() != records_planned_) Pass();
  records_planned_ = ledger_.records().size();
  busy = busy || ledger_.records().size() != records_before;
  if (busy) {
    for (Machine& machine : machines_) SendReport(machine);
  }
  return busy;
}

// Where no deadline is near, to when the last plan asked to be made again: what is held for
// somebody is free then.
void Sequence::JumpToDeadline() {
  const Instant deadline = NextDeadline(ledger_.state());
  if (deadline.ns == 0) {
    now_ = std::max(now_, look_again_at_);
    return;
  }
  if (!ledger_.state().jobs.decided.empty()) return;  // at once
  if (deadline <= now_) return ledger_.Break("a deadline in the past changes nothing");
  now_ = deadline;
}

void Sequence::Settle() {
  if (!ledger_.broken().empty() || !world_.broken().empty()) return;
  Heal();
  int rounds = 0;
  for (int idle = 0; idle < 4 && rounds < kRoundsMax; ++rounds) {
    if (!ledger_.broken().empty()) return;
    const bool waits = NextDeadline(ledger_.state()).ns != 0;
    const bool busy = SettleRound();
    idle = busy || waits ? 0 : idle + 1;
    if (!busy) JumpToDeadline();
  }
  if (rounds == kRoundsMax) ledger_.Break("the world healed, but things go on and on");
  for (const auto& [id, job] : ledger_.state().jobs.all) {
    if (IsTerminal(job.state)) continue;
    const PendingReason why = WhyPending(ledger_.state(), now_, job);
    if (job.state == JobState::kQueued && why.kind == PendingKind::kNoSuchHardware) continue;
    // Whoever it waits for is judged here itself.
    if (job.state == JobState::kBlocked &&
        ProspectOf(ledger_.state(), *job.spec) == Prospect::kOpen)
      continue;
    ledger_.Break("the world healed, but " + ToText(id) + " stays " + Name(job.state) + ": " +
                  why.text);
  }
  if (!world_.alive().empty()) ledger_.Break("a program runs on after its job is over");
}

void Sequence::CheckTale(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* placed = std::get_if<GangPlaced>(&event)) {
      CheckPlaced(*placed);
      const Job& job = *ledger_.state().FindJob(placed->job);
      if (job.array.value != 0) CheckArray(job);
    }
    if (const auto* order = std::get_if<JobPreemptionOrdered>(&event)) CheckPreempted(*order);
    if (const auto* order = std::get_if<JobMoveOrdered>(&event)) CheckMoved(*order);
    const auto* ended = std::get_if<JobEnded>(&event);
    if (ended != nullptr && ended->state == JobState::kCompleted) CheckCompleted(ended->job);
  }
}

// Only who agreed, after its time, for a job that waits, stands no lower in the same queue, and in
// another is of a higher class or wants what it was guaranteed.
void Sequence::CheckPreempted(const JobPreemptionOrdered& order) {
  const Job& victim = *ledger_.state().FindJob(order.job);
  const Job& by = *ledger_.state().FindJob(order.by);
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) ledger_.Break(ToText(order.job) + " was interrupted " + what);
  };
  expect(victim.spec->policy.preemptible, "though it is not preemptible");
  const bool same_queue = victim.queue == by.queue;
  bool guaranteed = false;
  for (const std::string& path : PathsTo(by.queue))
    guaranteed = guaranteed || ledger_.state().queues.all.at(path).guaranteed > 0;
  const bool has_run = now_ - victim.attempts.back().placed_at >= policy_.min_run;
  const bool reclaims =
      !same_queue && guaranteed && ledger_.state().queues.all.at(victim.queue).reclaimable;
  expect(has_run || (reclaims && now_ - by.queued_at >= policy_.reclaim_grace),
         "before it had run for min_run");
  expect(victim.pool == by.pool, "in another pool");
  if (reclaims) return;
  expect(same_queue || by.spec->policy.priority > victim.spec->policy.priority,
         "for one of another queue that has no claim");
  expect(by.state == JobState::kQueued, "for nobody who waits");
  expect(by.spec->policy.priority >= victim.spec->policy.priority, "for a lower class");
  expect(by.spec->policy.priority > victim.spec->policy.priority || by.spec->policy.preemptible,
         "for an equal that does not give way itself");
}

// However they came by their places: no more of an array than it allows.
void Sequence::CheckArray(const Job& placed) {
  int holding = 0;
  for (const auto& [id, job] : ledger_.state().jobs.all)
    holding += job.array == placed.array && !job.leases.empty() ? 1 : 0;
  const int max_parallel = placed.spec->policy.array.max_parallel;
  if (max_parallel > 0 && holding > max_parallel)
    ledger_.Break("of array " + ToText(placed.array) + " more run than may");
}

// All ranks at once, each with what was asked, on nodes that differ.
void Sequence::CheckPlaced(const GangPlaced& placed) {
  const JobSpec& spec = *ledger_.state().FindJob(placed.job)->spec;
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) ledger_.Break(ToText(placed.job) + " was placed " + what);
  };
  expect(static_cast<int>(placed.leases.size()) == spec.resources.nodes, "in part");
  std::set<NodeId> nodes;
  std::set<std::string> models;
  for (const Lease& lease : placed.leases) {
    const NodeFacts& facts = *ledger_.state().FindNode(lease.node)->facts;
    expect(nodes.insert(lease.node).second, "twice on one node");
    expect(static_cast<int>(lease.gpus.size()) == spec.resources.gpus.count,
           "with other GPUs than asked");
    std::set<int> numas;
    for (const GpuGrant& grant : lease.gpus) {
      const GpuFacts& gpu = facts.gpus[static_cast<size_t>(grant.gpu)];
      numas.insert(gpu.numa);
      models.insert(gpu.model);
      expect(spec.resources.gpus.models.empty() || gpu.model == spec.resources.gpus.models[0],
             "on another model");
      expect(gpu.memory_mib >= spec.resources.gpus.memory_mib_min, "on a GPU too small");
      if (spec.placement.topology.require != TopologyLevel::kNvlink) continue;
      for (const GpuGrant& other : lease.gpus) {
        expect(&other == &grant || facts.LinkCount(grant.gpu, other.gpu) > 0, "without NVLink");
      }
    }
    const bool one_numa = spec.placement.topology.require == TopologyLevel::kSameNuma ||
                          !spec.placement.topology.allow_cross_numa;
    expect(!one_numa || numas.size() <= 1, "across NUMA nodes");
    int cpus = 0;
    for (const NumaGrant& grant : lease.numa) cpus += grant.cpus.Count();
    expect(spec.resources.cpus == 0 || cpus == spec.resources.cpus, "with other cores than asked");
  }
  expect(models.size() <= 1, "on two models");
}

// Its last attempt ran on every rank to an end of its own, unless a rule of its own completed it.
void Sequence::CheckCompleted(JobId id) {
  const Job& job = *ledger_.state().FindJob(id);
  if (job.reason.ends_with("on_metric says complete")) return;
  for (const RankRecord& rank : job.attempts.back().ranks) {
    const Program& program = world_.Of(rank.lease);
    const bool good = program.was_started && !program.is_alive &&
                      program.ending.end == LeaseEnd::kExited && program.ending.exit_code == 0;
    if (!good) ledger_.Break(ToText(id) + " is COMPLETED, but a rank did not run to its end");
  }
}

}  // namespace gp
