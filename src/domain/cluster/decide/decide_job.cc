#include <algorithm>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/quotas/budgets.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/queue_rules.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/cluster/retention.h"
#include "domain/model/jobs/job_text.h"
#include "domain/model/jobs/variants.h"

namespace gp {
namespace {

Result<const Job*> KnownJob(const State& state, JobId id) {
  const Job* job = state.FindJob(id);
  if (job == nullptr) return Fail(NotFound("no job " + ToText(id)));
  return job;
}

Result<const Queue*> ResolveQueue(const State& state, const std::string& wanted) {
  const auto found = state.queues.all.find(wanted);
  if (found == state.queues.all.end())
    return Fail(NotFound("queue: there is no queue " + wanted + " (gpu-platform queues list)"));
  if (state.queues.HasChildren(wanted))
    return Fail(InvalidArgument("queue: " + wanted +
                                " has queues below it: name one of those, such as " +
                                state.queues.all.upper_bound(wanted + "/")->first));
  return &found->second;
}

// Refuses a job that its queue does not take, or that could never start, however long it waits.
Status CheckQuotas(const State& state, const std::shared_ptr<const JobSpec>& spec, const User& user,
                   const Queue& queue) {
  Job job;
  job.user = user;
  job.queue = queue.name;
  job.pool = queue.pool;
  std::optional<QuotaStop> first;
  bool can_start = false;
  for (int variant = 0; variant < CountVariants(*spec); ++variant) {
    job.spec = Resolve(spec, variant, NodesOf(*spec, variant).least);
    GP_CHECK_OK(CheckMinGpus(state, queue.name, AskOf(state, job).share));
    const auto stop = FindQuotaNeverMet(state, job);
    can_start = can_start || !stop;
    if (!first) first = stop;
  }
  if (can_start) return Ok();
  return Fail(Conflict("the job can never start: " + ToText(*first)));
}

// The spec that an admitted job gets, and a note for its user.
struct Admission {
  std::shared_ptr<const JobSpec> spec;
  std::string note;
};

Result<Admission> AdmitByBudget(const State& state, Instant at, const SubmitJob& command,
                                const Queue& queue) {
  const auto stop = FindBudgetStop(state, queue.name, command.user.name, queue.pool, at);
  if (!stop || !AsksForGpus(*command.spec)) return Admission{command.spec, ""};
  const std::string whose = SaysUsedUp(stop->key);
  if (stop->over == OverBudget::kRefuse) return Fail(Conflict("budget: " + whose));
  JobSpec demoted = *command.spec;
  demoted.policy.priority = kPriorityMin;
  demoted.policy.preemptible = true;
  return Admission{std::make_shared<const JobSpec>(std::move(demoted)),
                   "in the lowest class, and preemptible: " + whose};
}

// A job without a time limit gets that of its queue.
Admission WithTimeLimit(const State& state, const Queue& queue, Admission admission) {
  const QueueTime given = DefaultTimeOf(state, queue.name);
  if (admission.spec->policy.time_limit.ns != 0 || given.time.ns == 0) return admission;
  JobSpec limited = *admission.spec;
  limited.policy.time_limit = given.time;
  admission.spec = std::make_shared<const JobSpec>(std::move(limited));
  admission.note += (admission.note.empty() ? "" : "; ") +
                    ("time limit " + ToText(given.time) + ", by queue " + given.queue);
  return admission;
}

// In a queue without network a job has none, whatever it asks for.
Admission WithNetworkOf(const State& state, const Queue& queue, Admission admission) {
  std::shared_ptr<const JobSpec> spec = WithNetworkOf(state, queue.name, admission.spec);
  if (spec == admission.spec) return admission;
  admission.spec = std::move(spec);
  admission.note += (admission.note.empty() ? "" : "; ") +
                    ("without network, by queue " + QueueWithoutNetwork(state, queue.name));
  return admission;
}

// Whether reservations let the job stay on its nodes until `leaves`.
Status CheckReservationsUntil(const State& state, const Job& job, Instant leaves) {
  for (const LeaseId id : job.leases) {
    const Node& node = *state.FindNode(state.FindLease(id)->node);
    for (const Reservation* one : ReservationsOf(state, node)) {
      const Instant latest = IsOf(*one, job) ? one->ends_at : one->starts_at;
      if (leaves <= latest) continue;
      return Fail(Conflict("node " + node.facts->name + " is reserved for " + one->name +
                           (IsOf(*one, job) ? " until " : " from ") +
                           ToRfc3339(WallOf(state.time, latest)) + ": with its grace and " +
                           ToText(kEndMargin) + " to end, the job must have left by then"));
    }
  }
  return Ok();
}

// A job with a backfill reservation relies on the ends of running jobs.
Status CheckNobodyWaitsFor(const State& state, Instant at, const Job& job) {
  constexpr const char* kForce = ": an operator of the cluster can force it";
  for (const JobId id : state.jobs.nominated) {
    for (const LeaseId lease : job.leases) {
      if (std::ranges::count(state.FindJob(id)->nominated_nodes, state.FindLease(lease)->node) > 0)
        return Fail(Conflict(NameOf(state, id) + " waits for a node of it" + kForce));
    }
  }
  for (const JobId id : state.jobs.queued) {
    const Job& other = *state.FindJob(id);
    const bool may_take_its_place =
        other.pool == job.pool &&
        other.spec->placement.reservation == job.spec->placement.reservation &&
        other.user.uid != job.user.uid;
    const Duration after = ReservesAfter(state.policy, *other.spec);
    if (may_take_its_place && other.queued_at + after <= at) {
      return Fail(Conflict(NameOf(state, id) + " waits in pool " + job.pool +
                           (after.ns == 0 ? "" : " for more than " + ToText(after)) + kForce));
    }
  }
  return Ok();
}

Status CheckLonger(const State& state, Instant at, const Job& job) {
  GP_CHECK_OK(CheckNobodyWaitsFor(state, at, job));
  const auto stop = FindBudgetStop(state, job.queue, job.user.name, job.pool, at);
  if (!stop || stop->over != OverBudget::kRefuse || !AsksForGpus(*job.spec)) return Ok();
  return Fail(Conflict(SaysUsedUp(stop->key)));
}

Error AlreadyOver(const Job& job) {
  return Conflict(NameOf(job) + " is already " + Name(job.state));
}

// The GPUs of one node, for the audit.
std::string GpusText(const GpuRequest& gpus) {
  std::string text = Count(gpus.count, "GPU");
  if (!gpus.models.empty()) text += " " + Join(gpus.models, " or ");
  if (gpus.isolation == Isolation::kExclusive) return text;
  text += ", " + std::string(ToText(gpus.isolation));
  if (gpus.share_thousandths != kShareMax) text += " share " + ShareToText(gpus.share_thousandths);
  return gpus.memory_mib == 0 ? text : text + " " + std::to_string(gpus.memory_mib) + " MiB";
}

}  // namespace

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const SubmitJob& command) {
  GP_CHECK_OK(ValidateJobSpec(*command.spec));
  Events events;
  if (!envelope.request.id.empty() &&
      state.jobs.by_request.contains(RequestKey(command.user, envelope.request.id))) {
    return events;  // a repeated request: the first answer holds
  }
  const Queue& queue = *GP_TRY(ResolveQueue(state, QueueFor(state, *command.spec)));
  GP_CHECK_OK(CheckMaxTime(state, queue.name, command.spec->policy.time_limit));
  GP_CHECK_OK(CheckNetwork(state, queue.name, *command.spec));
  GP_CHECK_OK(CheckQuotas(state, command.spec, command.user, queue));
  const Admission admission = WithNetworkOf(
      state, queue,
      WithTimeLimit(state, queue, GP_TRY(AdmitByBudget(state, envelope.at, command, queue))));
  GP_CHECK_OK(CheckReservationOf(state, *admission.spec, command.user.name, queue));
  if (ProspectOf(state, *command.spec) == Prospect::kImpossible)
    return Fail(Conflict("after: " + TellImpossible(state, *command.spec)));
  const JobId id{state.jobs.last + 1};
  events.push_back(JobSubmitted{id, admission.spec, command.user, envelope.request.id, queue.name,
                                queue.pool, admission.note});
  const auto excess = static_cast<int64_t>(state.jobs.finished.size()) - state.policy.jobs_kept;
  for (const JobId oldest :
       FindForgettable(state, std::clamp<int64_t>(excess, 0, kForgottenAtATime), kNever))
    events.push_back(JobForgotten{oldest});
  return events;
}
AuditWords WordsFor(const State&, const Events& events, const SubmitJob& command) {
  const auto* submitted = events.empty() ? nullptr : std::get_if<JobSubmitted>(&events.front());
  const JobSpec& spec = *command.spec;
  const std::string array = spec.policy.array.count > 0
                                ? ", " + std::to_string(spec.policy.array.count) + " elements"
                                : "";
  return {"SubmitJob", submitted == nullptr ? "" : ToText(submitted->job),
          spec.name + ": " + std::to_string(spec.resources.nodes) + " x " +
              GpusText(spec.resources.gpus) + ", priority " + std::to_string(spec.policy.priority) +
              (submitted == nullptr ? "" : ", queue " + submitted->queue) + array};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const StopJob& command) {
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (IsTerminal(job.state)) return Fail(AlreadyOver(job));
  if (job.leases.empty()) {
    return Events{JobEnded{job.id, JobState::kCancelled, 130,
                           "cancelled while " + std::string(Name(job.state)), EndClass::kNone}};
  }
  const StopOrder order = command.force ? StopOrder::kKill : StopOrder::kGraceful;
  return Events{
      JobStopOrdered{job.id, StopCause::kCancel, order, command.force ? "killed" : "cancelled"}};
}
AuditWords WordsFor(const State& state, const Events&, const StopJob& command) {
  return {"StopJob", NameOf(state, command.job), command.force ? "by force" : ""};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const HoldJob& command) {
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (job.state != JobState::kQueued && job.state != JobState::kRetryWait) {
    return Fail(
        Conflict(NameOf(job) + " is " + Name(job.state) + ": only a waiting job can be held"));
  }
  return Events{JobHeld{job.id}};
}
AuditWords WordsFor(const State& state, const Events&, const HoldJob& command) {
  return {"HoldJob", NameOf(state, command.job), ""};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const ReleaseJob& command) {
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (job.state != JobState::kHeld) {
    return Fail(Conflict(NameOf(job) + " is " + Name(job.state) + ", not HELD"));
  }
  return Events{JobReleased{job.id}};
}
AuditWords WordsFor(const State& state, const Events&, const ReleaseJob& command) {
  return {"ReleaseJob", NameOf(state, command.job), ""};
}

Result<Events> DecideCommand(const State& state, const Envelope&, const SetPriority& command) {
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (IsTerminal(job.state)) return Fail(AlreadyOver(job));
  if (command.priority < 0 || command.priority > kPriorityMax) {
    return Fail(InvalidArgument("priority: " + std::to_string(command.priority) +
                                " is not between 0 and " + std::to_string(kPriorityMax)));
  }
  if (command.priority == job.spec->policy.priority) return Events{};
  if (command.priority > job.spec->policy.priority && !command.may_raise)
    return Fail(PermissionDenied("priority: only an admin of its queue raises it"));
  return Events{JobPriorityChanged{job.id, command.priority}};
}
AuditWords WordsFor(const State& state, const Events&, const SetPriority& command) {
  return {"SetPriority", NameOf(state, command.job), std::to_string(command.priority)};
}

// Its new queue must admit it as it is, with its present time limit; a budget that would demote it
// refuses it.
Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ChangeJobQueue& command) {
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (IsTerminal(job.state)) return Fail(AlreadyOver(job));
  if (HoldsLeases(job.state))
    return Fail(Conflict(NameOf(job) + " is " + Name(job.state) +
                         ": only a job that holds nothing can change its queue"));
  const Queue& queue = *GP_TRY(ResolveQueue(state, command.queue));
  if (queue.name == job.queue) return Events{};
  const std::shared_ptr<const JobSpec>& spec = job.submitted_spec ? *job.submitted_spec : job.spec;
  GP_CHECK_OK(CheckMaxTime(state, queue.name, spec->policy.time_limit));
  const std::string without = QueueWithoutNetwork(state, queue.name);
  if (!without.empty() && spec->program.network != NetworkAccess::kNone)
    return Fail(Conflict("jobs of queue " + without + " have no network, and " + NameOf(job) +
                         " was submitted with one: submit it there"));
  GP_CHECK_OK(CheckQuotas(state, spec, job.user, queue));
  const auto stop = FindBudgetStop(state, queue.name, job.user.name, queue.pool, envelope.at);
  if (stop && AsksForGpus(*spec)) return Fail(Conflict("budget: " + SaysUsedUp(stop->key)));
  GP_CHECK_OK(CheckReservationOf(state, *spec, job.user.name, queue));
  Events events{JobQueueChanged{job.id, queue.name, queue.pool}};
  const QueueTime given = DefaultTimeOf(state, queue.name);
  if (spec->policy.time_limit.ns == 0 && given.time.ns != 0)
    events.push_back(JobTimeLimitChanged{job.id, given.time});
  return events;
}
AuditWords WordsFor(const State& state, const Events&, const ChangeJobQueue& command) {
  return {"ChangeJobQueue", NameOf(state, command.job), "to queue " + command.queue};
}

Result<Events> DecideCommand(const State& state, const Envelope& envelope,
                             const ChangeTimeLimit& command) {
  const Instant at = envelope.at;
  const Job& job = *GP_TRY(KnownJob(state, command.job));
  if (IsTerminal(job.state)) return Fail(AlreadyOver(job));
  const Duration before = job.spec->policy.time_limit;
  if (before.ns == 0) return Fail(Conflict(NameOf(job) + " has no time limit"));
  const Duration limit =
      command.longer_by.ns == 0
          ? command.time_limit
          : before + std::clamp(command.longer_by, Duration{} - kTimeLimitMax, kTimeLimitMax);
  if (limit < Duration::Seconds(1) || limit > kTimeLimitMax) {
    return Fail(InvalidArgument("time_limit: must be from 1s to " + ToText(kTimeLimitMax) +
                                ", not " + (limit.ns <= 0 ? "less" : ToText(limit))));
  }
  if (limit == before) return Events{};
  if (limit > before && !command.force) GP_CHECK_OK(CheckMaxTime(state, job.queue, limit));
  JobSpec changed = *job.spec;
  changed.policy.time_limit = limit;
  const JobTimeLimitChanged event{job.id, limit};
  if (!HoldsLeases(job.state)) {
    GP_CHECK_OK(CheckReservationOf(state, changed, job.user.name, state.queues.all.at(job.queue)));
    return Events{event};
  }
  if (job.stop != StopCause::kNone)
    return Fail(Conflict(NameOf(job) + " is being stopped: " + job.reason));
  const Instant placed = job.attempts.back().placed_at;
  if (placed + limit <= at)
    return Fail(
        Conflict(NameOf(job) + " has run for longer than that already: jobs cancel ends it"));
  if (limit > before) {
    GP_CHECK_OK(CheckReservationsUntil(state, job, EndOfStay(placed, changed)));
    if (!command.force) GP_CHECK_OK(CheckLonger(state, at, job));
  }
  return Events{event};
}
AuditWords WordsFor(const State& state, const Events&, const ChangeTimeLimit& command) {
  return {"SetTimeLimit", NameOf(state, command.job),
          (command.longer_by.ns == 0 ? "to " + ToText(command.time_limit)
                                     : "by " + ToText(command.longer_by)) +
              (command.force ? " by force" : "")};
}

}  // namespace gp
