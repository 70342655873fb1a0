#include "domain/explaining/future.h"

#include <algorithm>
#include <iterator>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/next_deadline.h"
#include "domain/cluster/nodes/report_of.h"

namespace gp {

bool IsOnLostNode(const State& state, const Job& job) {
  return std::ranges::any_of(job.leases, [&](LeaseId id) {
    return state.FindNode(state.FindLease(id)->node)->condition == NodeCondition::kLost;
  });
}

Future::Future(State state, Planner planner, Instant at, const Lengths& lengths, int play)
    : state_(std::move(state)), planner_(std::move(planner)), now_(at), guesses_(lengths, play) {
  std::vector<JobId> stopping;
  for (const auto& [id, job] : state_.jobs.all) {
    if (!HoldsLeases(job.state)) continue;
    if (job.stop != StopCause::kNone) {
      stopping.push_back(id);
    } else {
      ExpectEnd(job);
    }
  }
  StopAll(stopping);
}

// A command that the rules refuse is dropped, as in the controller.
std::vector<Event> Future::Execute(Command command) {
  auto events = Decide(state_, {now_, "forecast", "", std::move(command)});
  if (!events) return {};
  for (const Event& event : *events) Apply(state_, now_, event);
  return *std::move(events);
}

void Future::Report(JobId job, std::optional<LeaseEnd> end) {
  const std::vector<LeaseId> leases = state_.FindJob(job)->leases;
  for (const LeaseId id : leases) Execute(ReportOf(state_, now_, id, end));
}

// A disconnected agent receives no stop, and its node is assumed not to come back.
void Future::StopAll(const std::vector<JobId>& jobs) {
  for (const JobId id : jobs) {
    const auto known = end_of_.find(id);
    if (known != end_of_.end()) {
      ends_.erase({known->second, id});
      end_of_.erase(known);
    }
    if (IsOnLostNode(state_, *state_.FindJob(id))) {
      endless_.insert(id);
      continue;
    }
    endless_.erase(id);
    Report(id, LeaseEnd::kStopped);
  }
}

// The total work of a job is drawn once, even if it is preempted; its time limit starts again with
// each attempt.
Instant Future::EndOf(const Job& job) {
  if (IsOnLostNode(state_, job)) return kNever;
  const Duration done = WorkOf(job, now_);
  const auto [work, is_new] = work_.try_emplace(job.id);
  if (is_new) work->second = guesses_.WorkOf(job, done);
  const Duration limit = job.spec->policy.time_limit;
  used_limits_ |= limit.ns != 0;
  const Instant by_limit = limit.ns == 0 ? kNever : job.attempts.back().placed_at + limit;
  const Instant by_work = work->second ? now_ + (*work->second - done) : kNever;
  return std::max(std::min(by_limit, by_work), now_);
}

void Future::ExpectEnd(const Job& job) {
  const Instant end = EndOf(job);
  if (end == kNever) {
    endless_.insert(job.id);
    return;
  }
  ends_.insert({end, job.id});
  end_of_[job.id] = end;
}

void Future::Started(JobId job) {
  Report(job, std::nullopt);
  ExpectEnd(*state_.FindJob(job));
}

// Runs passes until they change nothing more.  Jobs that were just placed are considered again, as
// in the controller.
void Future::Settle(int64_t& budget) {
  bool again = true;
  while (again && now_ >= state_.quiet_until && budget > 0) {
    budget -= 1 + static_cast<int64_t>(state_.jobs.equivalence_classes.size());
    const Plan plan = planner_.Schedule(state_, now_);
    look_again_at_ = plan.look_again_at;
    again = false;
    std::vector<JobId> interrupted;
    for (const Plan::Step& step : plan.steps) {
      if (Execute(ToCommand(step)).empty()) continue;
      again = true;
      if (const auto* placed = std::get_if<PlaceGang>(&step)) {
        Started(placed->job);
      } else {
        interrupted.push_back(std::get<PreemptJob>(step).job);
      }
    }
    StopAll(interrupted);
  }
}

void Future::FinishDue(int64_t& budget) {
  while (!ends_.empty() && ends_.begin()->first <= now_) {
    const JobId job = ends_.begin()->second;
    ends_.erase(ends_.begin());
    end_of_.erase(job);
    --budget;
    Report(job, LeaseEnd::kExited);
  }
}

void Future::TickIfDue() {
  const Instant deadline = NextDeadline(state_);
  if (deadline.ns == 0 || deadline > now_) return;
  std::vector<JobId> stopping;
  for (const Event& event : Execute(Tick{})) {
    if (const auto* stop = std::get_if<JobStopOrdered>(&event)) stopping.push_back(stop->job);
  }
  StopAll(stopping);
}

std::vector<JobId> Future::Endless() const {
  std::vector<JobId> holding;
  std::ranges::copy_if(endless_, std::back_inserter(holding),
                       [this](JobId id) { return HoldsLeases(state_.FindJob(id)->state); });
  return holding;
}

// Whether the job would be placed if all running jobs ended.  If not, jobs without a known end are
// not the reason.  Jobs on a lost node are assumed not to end.
bool Future::StartsWhenAllEnd(JobId job, int attempt, int64_t& budget) {
  while (budget > 0) {
    std::vector<JobId> running = Endless();
    if (std::ranges::any_of(running,
                            [this](JobId id) { return IsOnLostNode(state_, *state_.FindJob(id)); }))
      return true;
    for (const auto& [at, id] : ends_) running.push_back(id);
    if (running.empty()) return false;
    ends_.clear();
    end_of_.clear();
    endless_.clear();
    for (const JobId id : running) Report(id, LeaseEnd::kExited);
    budget -= static_cast<int64_t>(running.size());
    Settle(budget);
    if (state_.FindJob(job)->attempt != attempt) return true;
    if (IsTerminal(state_.FindJob(job)->state)) return false;
  }
  return true;
}

// kNever: nothing will change any more.
Instant Future::NextInstant() const {
  Instant next = ends_.empty() ? kNever : ends_.begin()->first;
  const auto consider = [&next](Instant at) {
    if (at.ns != 0) next = std::min(next, at);
  };
  consider(NextDeadline(state_));
  consider(look_again_at_);
  if (state_.quiet_until > now_) consider(state_.quiet_until);
  return next == kNever ? next : std::max(next, now_);
}

Future::Outcome Future::PlayUntilPlaced(JobId job, Instant horizon, int64_t& budget) {
  const int attempt = state_.FindJob(job)->attempt;
  while (true) {
    Settle(budget);
    // This also counts if it was preempted again at once.
    if (state_.FindJob(job)->attempt != attempt) return Outcome::kPlaced;
    // A dependency was not met.
    if (IsTerminal(state_.FindJob(job)->state)) return Outcome::kWaitsOn;
    if (budget <= 0) return Outcome::kTooManySteps;
    --budget;
    const Instant next = NextInstant();
    if (next == kNever) {
      unknown_ = Endless();
      return !unknown_.empty() && StartsWhenAllEnd(job, attempt, budget) ? Outcome::kUnknown
                                                                         : Outcome::kWaitsOn;
    }
    if (next > horizon) return Outcome::kTooFar;
    now_ = next;
    FinishDue(budget);
    TickIfDue();
  }
}

}  // namespace gp
