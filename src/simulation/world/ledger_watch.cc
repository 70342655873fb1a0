#include "simulation/world/ledger_watch.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

// The exit code as a shell reports it.
int CodeOf(const Program& program) {
  return program.signal != 0 ? 128 + program.signal : program.exit_code;
}

// An agent may take a repeated report within this time for the same error.
constexpr Duration kOneError = Duration::Seconds(10);
// How far the clocks of two hosts may drift apart during a time limit.
constexpr Duration kClocksApart = Duration::Milliseconds(500);
// In a healed world no report takes longer.
constexpr Duration kOnItsWay = Duration::Seconds(30);

}  // namespace

LedgerWatch::LedgerWatch(Timeline& timeline, const WorldPlan& plan, const Programs& programs,
                         Savings& savings, Findings& findings)
    : timeline_(timeline),
      plan_(plan),
      programs_(programs),
      savings_(savings),
      findings_(findings) {
  for (size_t i = 0; i < plan.hosts.size(); ++i) {
    const HostPlan& host = plan.hosts[i];
    if (!host.is_stranger) hosts_[host.facts->name] = i;
    for (size_t card = 0; card < host.facts->gpus.size(); ++card) {
      const Place place{i, static_cast<int>(card)};
      places_[host.facts->gpus[card].uuid] = place;
      if (card >= host.facts->gpus.size() - host.spares) out_.insert(place);  // not tested yet
    }
  }
}

void LedgerWatch::Expect(bool holds, const std::string& what) {
  if (!holds) findings_.Break(timeline_.now(), what);
}

std::optional<size_t> LedgerWatch::PlanOf(const JobSpec& spec) const {
  const auto name = spec.program.environment.find("PLAN");
  if (name == spec.program.environment.end()) return std::nullopt;
  const auto number = ParseCount(name->second);
  return number ? std::optional(static_cast<size_t>(*number)) : std::nullopt;
}

std::vector<JobId> LedgerWatch::IdsOf(size_t job) const {
  const auto found = acknowledged_.find(job);
  return found == acknowledged_.end() ? std::vector<JobId>()
                                      : JobsOf(found->second, *plan_.jobs[job].spec);
}

std::optional<size_t> LedgerWatch::HostNamed(const std::string& name) const {
  const auto found = hosts_.find(name);
  return found == hosts_.end() ? std::nullopt : std::optional(found->second);
}

LedgerWatch::Place LedgerWatch::PlaceOf(const State& state, NodeId node, int gpu) const {
  return places_.at(state.FindNode(node)->facts->gpus[static_cast<size_t>(gpu)].uuid);
}

void LedgerWatch::OnCommit(const State& state, const CommittedRecords& committed) {
  // The wall clock may have been stepped while the controller was down.
  if (std::exchange(epoch_, state.epoch) != state.epoch) reservations_ = state.reservations.all;
  for (const Event& event : committed.events) {
    std::visit([&](const auto& one) { Judge(state, one); }, event);
  }
}

void LedgerWatch::OnLateCommit(const State& state, const CommittedRecords& committed,
                               Instant decided_at) {
  decided_at_ = decided_at;
  OnCommit(state, committed);
  decided_at_.reset();
}

void LedgerWatch::Acknowledged(size_t job, JobId id) {
  const auto [known, is_new] = acknowledged_.try_emplace(job, id);
  Expect(is_new || known->second == id,
         "a repeated submit of job " + std::to_string(job) + " is another job than before");
}

void LedgerWatch::HoldAcknowledged(JobId job, bool is_held) {
  if (is_held) held_.insert(job);
  if (!is_held) held_.erase(job);
}

void LedgerWatch::Failed(size_t host, int gpu) { repairs_[{host, gpu}] = Repair::kReset; }

void LedgerWatch::WasReset(size_t host, int gpu) {
  Repair& repair = repairs_[{host, gpu}];
  if (repair == Repair::kReset) repair = Repair::kTest;
}

void LedgerWatch::WasTested(size_t host, int gpu) {
  out_.erase({host, gpu});
  Repair& repair = repairs_[{host, gpu}];
  if (repair == Repair::kTest) repair = Repair::kNone;
  if (repair == Repair::kNone) known_.erase({host, gpu});
}

void LedgerWatch::WasTold(size_t host, int gpu, int xid) {
  const Error error{{host, gpu}, xid};
  const auto heard = heard_at_.find(error);
  if (heard == heard_at_.end() || timeline_.now() - heard->second > kOneError)
    unreported_.try_emplace(error, timeline_.now());
}

void LedgerWatch::AgentEnded(size_t host) {
  std::erase_if(unreported_, [host](const auto& entry) { return entry.first.first.first == host; });
}

void LedgerWatch::CheckErrorsKnown() {
  for (const auto& [error, since] : unreported_) {
    const auto& [place, xid] = error;
    Expect(timeline_.now() - since < kOnItsWay,
           "the controller never received XID " + std::to_string(xid) + " of GPU " +
               std::to_string(place.second) + " of " + plan_.hosts[place.first].facts->name);
  }
}

void LedgerWatch::Judge(const State&, const JobSubmitted& event) {
  const auto plan = PlanOf(*event.spec);
  if (!plan) return;
  const auto [known, is_new] = submitted_.try_emplace(*plan, event.job);
  Expect(is_new, "job " + std::to_string(*plan) + " exists twice: " + ToText(known->second) +
                     " and " + ToText(event.job));
}

void LedgerWatch::Judge(const State&, const NodeJoined& event) {
  for (const GpuFacts& gpu : event.facts->gpus) {
    const Place place = places_.at(gpu.uuid);
    if (gpu.presence == GpuPresence::kPresent) {
      missing_.erase(place);
    } else {
      missing_.insert(place);
      out_.insert(place);
    }
  }
}

void LedgerWatch::Judge(const State& state, const GangPlaced& event) {
  const std::string name = ToText(event.job);
  Expect(!ended_.contains(event.job), name + " is placed after its end");
  Expect(!stopped_.contains(event.job), name + " is placed after its stop was acknowledged");
  Expect(!held_.contains(event.job), name + " is placed while it is held");
  savings_.Place(event.job);
  std::set<NodeId> nodes;
  placed_at_[event.job] = decided_at_.value_or(timeline_.now());
  std::vector<LeaseId>& placed = placed_[event.job];
  placed.clear();
  for (const Lease& lease : event.leases) {
    placed.push_back(lease.id);
    Expect(nodes.insert(lease.node).second, name + " has two ranks on one node");
    for (const GpuGrant& grant : lease.gpus) {
      const Place place = PlaceOf(state, lease.node, grant.gpu);
      granted_[lease.id].insert(place);
      const std::string gpu =
          "GPU " + std::to_string(grant.gpu) + " of " + state.FindNode(lease.node)->facts->name;
      Expect(!known_.contains(place),
             name + " is given " + gpu + ", which failed and was not reset and tested");
      Expect(!missing_.contains(place),
             name + " is given " + gpu + ", which its node does not report");
      Expect(!out_.contains(place),
             name + " is given " + gpu + ", which was out of service and was not tested");
    }
  }
  const Job* job = state.FindJob(event.job);
  if (job == nullptr) return;
  Expect(static_cast<int>(nodes.size()) == job->spec->resources.nodes, name + " is placed in part");
  CheckArray(state, *job);
  const AttemptRecord& record = job->attempts.back();
  if (record.number == event.leases.front().attempt) CheckReserved(name, record.placed_at, nodes);
}

void LedgerWatch::CheckArray(const State& state, const Job& job) {
  const int most = job.spec->policy.array.max_parallel;
  if (job.array.value == 0 || most == 0) return;
  const auto holds = [&](JobId id) { return !state.FindJob(id)->leases.empty(); };
  Expect(std::ranges::count_if(ElementsOf(state, job.array), holds) <= most,
         "more elements of array " + ToText(job.array) + " run at once than it allows");
}

// A job that names no reservation must not be on a node that is reserved now.
void LedgerWatch::CheckReserved(const std::string& job, Instant placed_at,
                                const std::set<NodeId>& nodes) {
  for (const auto& [name, reservation] : reservations_) {
    const bool has_begun = reservation.starts_at <= placed_at && placed_at < reservation.ends_at;
    const bool is_inside = has_begun && std::ranges::any_of(reservation.nodes, [&](NodeId node) {
                             return nodes.contains(node);
                           });
    Expect(!is_inside, job + " is placed on a node that is reserved by " + name);
  }
}

void LedgerWatch::Judge(const State&, const NodesReserved& event) {
  reservations_[event.reservation.name] = event.reservation;
}
void LedgerWatch::Judge(const State&, const ReservationEnded& event) {
  reservations_.erase(event.name);
}
// Reservations keep their calendar times, so their instants change.
void LedgerWatch::Judge(const State& state, const WallClockStepped&) {
  reservations_ = state.reservations.all;
}

void LedgerWatch::Judge(const State&, const JobStarted& event) {
  for (const LeaseId lease : placed_[event.job]) {
    const Program* program = programs_.Find(lease);
    Expect(program != nullptr,
           ToText(event.job) + " is reported running before all its ranks were executed");
    if (program == nullptr) continue;
    std::set<Place> used;
    for (const int card : program->gpus) used.emplace(program->host, card);
    Expect(used == granted_[lease],
           ToText(lease) + " of " + ToText(event.job) + " uses other GPUs than it was granted");
  }
}

void LedgerWatch::Judge(const State&, const LeaseEnded& event) {
  const Program* program = programs_.Find(event.lease);
  Expect(program == nullptr || !program->is_alive,
         ToText(event.lease) + " has ended while its program still runs");
  if (event.outcome.end != LeaseEnd::kExited) return;
  Expect(program != nullptr,
         ToText(event.lease) + " is reported to have exited but was never executed");
  if (program == nullptr) return;
  Expect(program->exit_code == event.outcome.exit_code && program->signal == event.outcome.signal,
         ToText(event.lease) + " is reported with another exit code or signal than it had");
}

void LedgerWatch::Judge(const State& state, const JobEnded& event) {
  const Job* job = state.FindJob(event.job);
  Expect(ended_.insert(event.job).second, ToText(event.job) + " ends twice");
  if (job == nullptr) return;
  if (event.state == JobState::kCompleted) CheckCompleted(*job);
  if (event.state == JobState::kFailed) CheckFailed(*job, event.exit_code);
  if (event.state == JobState::kCancelled)
    Expect(stops_asked_.contains(event.job), ToText(event.job) + " is cancelled without a request");
  if (event.state == JobState::kTimeout) CheckTimedOut(*job);
}

// Even if wall clocks are stepped, the time limit must have passed since the placement, except for
// the drift of quartz.
void LedgerWatch::CheckTimedOut(const Job& job) {
  const Duration limit = job.spec->policy.time_limit;
  if (limit.ns == 0)
    return Expect(false, ToText(job.id) + " timed out without having a time limit");
  const Duration ran = timeline_.now() - placed_at_[job.id];
  Expect(ran + kClocksApart >= limit, ToText(job.id) + " ran out of its time limit of " +
                                          ToText(limit) + " after " + ToText(ran));
}

// Its last attempt must have run on every rank, from its start to its planned end.
void LedgerWatch::CheckCompleted(const Job& job) {
  const std::vector<LeaseId>& placed = placed_[job.id];
  Expect(static_cast<int>(placed.size()) == job.spec->resources.nodes,
         ToText(job.id) + " is completed with another number of ranks than it has");
  for (const LeaseId lease : placed) {
    const Program* program = programs_.Find(lease);
    const bool is_good = program != nullptr && program->is_complete && CodeOf(*program) == 0;
    Expect(is_good, ToText(job.id) + " is completed, but a rank did not reach its end");
  }
}

void LedgerWatch::CheckFailed(const Job& job, int exit_code) {
  constexpr int kGivenUp = 125;
  if (exit_code == kGivenUp)
    return Expect(job.faults >= plan_.policy.faults_max, ToText(job.id) + " is given up too early");
  constexpr int kTimedOut = 124;
  const bool has_hung = std::ranges::any_of(placed_[job.id], [&](LeaseId lease) {
    const Program* program = programs_.Find(lease);
    return program != nullptr && program->is_hung;
  });
  if (exit_code == kTimedOut && job.spec->recovery.hang_after.ns != 0)
    return Expect(has_hung,
                  ToText(job.id) + " is reported to have hung, but none of its programs did");
  const bool did_fail = std::ranges::any_of(placed_[job.id], [&](LeaseId lease) {
    const Program* program = programs_.Find(lease);
    return program != nullptr && CodeOf(*program) == exit_code;
  });
  Expect(did_fail, ToText(job.id) + " is reported to have failed with " +
                       std::to_string(exit_code) + ", but none of its programs did");
}

void LedgerWatch::Judge(const State&, const CheckpointSaved& event) {
  savings_.Record(event.job, event.checkpoint);
}

void LedgerWatch::Judge(const State& state, const FaultSeen& event) {
  const Place place = PlaceOf(state, event.node, event.gpu);
  const Error error{place, event.xid};
  unreported_.erase(error);
  heard_at_[error] = timeline_.now();
  if (event.is_hot) out_.insert(place);
  if (!IsFatalXid(event.xid)) return;
  // An error whose GPU was repaired before the report requires nothing more.
  if (repairs_[place] != Repair::kNone) known_.insert(place);
  const std::string& uuid =
      plan_.hosts[place.first].facts->gpus[static_cast<size_t>(place.second)].uuid;
  const bool is_recorded = std::ranges::any_of(state.faults.incidents, [&](const auto& entry) {
    return entry.second.uuid == uuid &&
           entry.second.last_at + Duration::Seconds(1) >= entry.second.opened_at;
  });
  Expect(is_recorded, "no incident records XID " + std::to_string(event.xid) + " of " + uuid);
}

// No GPU may return to service without a test.
void LedgerWatch::Judge(const State& state, const GpuConditionChanged& event) {
  const Place place = PlaceOf(state, event.node, event.gpu);
  if (event.to == GpuCondition::kOffline || event.to == GpuCondition::kQuarantined)
    out_.insert(place);
  const Gpu& gpu = state.FindNode(event.node)->gpus[static_cast<size_t>(event.gpu)];
  const bool is_let_in =
      event.to == GpuCondition::kAvailable || event.to == GpuCondition::kUnlinked;
  if (!is_let_in || !IsGrantable(gpu)) return;  // it may be in transition to another condition
  Expect(!out_.contains(place), "GPU " + std::to_string(event.gpu) + " of " +
                                    state.FindNode(event.node)->facts->name +
                                    " returns to service without a test");
}

void LedgerWatch::CheckEnd(const State& state, const WorldPart& part) {
  for (const size_t plan : part.jobs) {
    Expect(acknowledged_.contains(plan), "job " + std::to_string(plan) + " could not be submitted");
    for (const JobId id : IdsOf(plan)) {
      const Job* job = state.FindJob(id);
      Expect(job != nullptr, ToText(id) + " was acknowledged and is gone");
      if (job != nullptr) Expect(IsTerminal(job->state), ToText(id) + " stays " + Name(job->state));
    }
  }
  CheckErrorsKnown();
  Expect(state.jobs.all.size() == CountJobs(plan_, part),
         "the number of jobs differs from what was submitted");
  Expect(state.leases.all.empty(), "leases are held after all jobs have ended");
  Expect(programs_.alive().empty(), "a program still runs after all jobs have ended");
}

}  // namespace gp
