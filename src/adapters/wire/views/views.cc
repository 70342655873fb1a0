#include "adapters/wire/views/views.h"

#include <algorithm>
#include <set>

#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/node_detail_view.h"
#include "adapters/wire/views/recovery_view.h"
#include "adapters/wire/views/usage_view.h"
#include "base/text.h"
#include "base/units.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/verdict.h"
#include "domain/model/jobs/array.h"
#include "domain/placement/placement_warning.h"

namespace gp {

std::string TimeText(const State& state, Instant at) {
  return ToRfc3339(WallOf(state.time, at), true);
}

namespace {

static_assert(static_cast<int>(ShownJobState::kPreempted) + 1 == v1::PREEMPTED);
static_assert(static_cast<int>(ShownJobState::kCancelled) + 1 == v1::CANCELLED);

std::string Place(const NodeFacts& facts, const std::vector<int>& gpus) {
  if (gpus.empty()) return facts.name;
  CpuSet set;
  for (const int gpu : gpus) set.Add(gpu);
  return facts.name + "[" + set.ToString() + "]";
}

void RankView(const State& state, const RankRecord& record, int rank, v1::Rank* message) {
  const NodeFacts& facts = *state.FindNode(record.node)->facts;
  message->set_rank(rank);
  message->set_node(facts.name);
  std::set<int> numa_nodes;
  for (const int index : record.gpus) {
    message->add_gpus(index);
    if (index >= static_cast<int>(facts.gpus.size()))
      continue;  // the node joined again with fewer GPUs
    const GpuFacts& gpu = facts.gpus[static_cast<size_t>(index)];
    message->add_gpu_uuids(gpu.uuid);
    if (gpu.numa >= 0) numa_nodes.insert(facts.numa[static_cast<size_t>(gpu.numa)].os_id);
  }
  message->mutable_numa_nodes()->Add(numa_nodes.begin(), numa_nodes.end());
  const Lease* lease = state.FindLease(record.lease);
  message->set_live(lease != nullptr);
  if (lease != nullptr) {
    CpuSet cpus;
    for (const NumaGrant& grant : lease->numa) cpus = cpus.Union(grant.cpus);
    message->set_cpus(cpus.ToString());
    return;
  }
  message->set_outcome(Name(record.outcome.end));
  if (!record.outcome.message.empty())
    message->set_outcome(message->outcome() + ": " + record.outcome.message);
  message->set_exit_code(record.outcome.exit_code);
  message->set_signal(record.outcome.signal);
  message->set_last_error(record.outcome.clues.last_error);
}

void AttemptView(const State& state, const AttemptRecord& attempt, v1::Attempt* message) {
  message->set_number(attempt.number);
  message->set_placed_at(TimeText(state, attempt.placed_at));
  if (attempt.started_at.ns > 0) {
    message->set_started_at(TimeText(state, attempt.started_at));
    message->set_start_seconds(SecondsOf(attempt.started_at - attempt.placed_at));
  }
  if (attempt.ended_at.ns > 0) message->set_ended_at(TimeText(state, attempt.ended_at));
  message->set_placement(attempt.placement);
  message->set_warning(std::string(WarningIn(attempt.placement)));
  if (attempt.end != EndClass::kNone) {
    message->set_end_class(Name(attempt.end));
    message->set_charged_to(Name(ChargeOf(attempt.end)));
  }
  for (size_t rank = 0; rank < attempt.ranks.size(); ++rank) {
    RankView(state, attempt.ranks[rank], static_cast<int>(rank), message->add_ranks());
  }
}

void JobStateView(const Job& job, PendingReasons& reasons, v1::Job* message) {
  message->set_state(ToProto(Shown(job.state)));
  message->set_detail(Name(job.state));
  const ShownReason reason = ReasonOf(job, reasons);
  message->set_reason(reason.text);
  message->set_reason_code(reason.code);
  message->set_note(job.note);
}

void CountsView(const Job& job, v1::Job* message) {
  message->set_attempt(job.attempt);
  message->set_retries_used(job.retries_used);
  message->set_faults(job.faults);
  message->set_preemptions(job.preemptions);
  message->set_moves(job.moves);
}

void ElementView(const Job& job, v1::Job* message) {
  if (job.array.value == 0) return;
  message->set_array_id(ToText(job.array));
  message->set_array_index(IndexIn(job.array, job.id));
}

void PlacesView(const State& state, const Job& job, v1::Job* message) {
  const AttemptRecord* attempt = ShownAttempt(job);
  if (attempt == nullptr) return;
  for (const RankRecord& rank : attempt->ranks)
    message->add_places(Place(*state.FindNode(rank.node)->facts, rank.gpus));
}

void TimesView(const State& state, const Job& job, Instant now, v1::Job* message) {
  const AttemptRecord* attempt = ShownAttempt(job);
  const Instant started = attempt == nullptr ? Instant{0} : attempt->started_at;
  const bool over = IsTerminal(job.state);
  const Instant until = over ? job.ended_at : now;
  message->set_submitted_at(TimeText(state, job.submitted_at));
  if (started.ns > 0) message->set_started_at(TimeText(state, started));
  if (over) message->set_ended_at(TimeText(state, job.ended_at));
  message->set_wait_seconds(SecondsOf((started.ns > 0 ? started : until) - job.submitted_at));
  if (started.ns > 0) message->set_run_seconds(SecondsOf(std::max(until, started) - started));
}

}  // namespace

v1::JobState ToProto(ShownJobState state) {
  return static_cast<v1::JobState>(static_cast<int>(state) + 1);
}

ShownReason ReasonOf(const Job& job, PendingReasons& reasons) {
  switch (job.state) {
    case JobState::kQueued: {
      PendingReason reason = reasons.Of(job);
      return {std::move(reason.code), std::move(reason.text)};
    }
    case JobState::kHeld:
      return {"Held", job.reason.empty()
                          ? "held; gpu-platform jobs release " + NameOf(job) + " queues it again"
                          : job.reason};
    case JobState::kBlocked: return {"Dependency", job.reason};
    case JobState::kRetryWait: return {"BeginTime", job.reason};
    default: return {"", job.reason};
  }
}

void JobLine(const State& state, const Job& job, Instant now, PendingReasons& reasons,
             v1::Job* message) {
  message->set_id(NameOf(job));
  JobStateView(job, reasons, message);
  ToProto(*job.spec, message->mutable_spec());
  message->set_user(job.user.name);
  message->set_queue(job.queue);
  message->set_pool(job.pool);
  CountsView(job, message);
  ElementView(job, message);
  PlacesView(state, job, message);
  TimesView(state, job, now, message);
  if (IsTerminal(job.state)) message->set_exit_code(job.exit_code);
  const Job* self = &job;
  JobsUseView(state, {&self, 1}, now, message);
}

void JobView(const State& state, const Job& job, Instant now, v1::Job* message, const Plan* plan) {
  PendingReasons reasons(state, now, plan);
  JobLine(state, job, now, reasons, message);
  for (const AttemptRecord& attempt : job.attempts)
    AttemptView(state, attempt, message->add_attempts());
  for (const XidNote& note : job.xids) {
    v1::XidNote* part = message->add_xids();
    part->set_attempt(note.attempt);
    part->set_xid(note.xid);
    part->set_gpu(state.FindNode(note.node)->facts->name + "/" + std::to_string(note.gpu));
    part->set_at(TimeText(state, note.at));
    part->set_forgiven(note.forgiven);
  }
  CheckpointsView(state, job, message);
  message->set_image_digest(job.image_digest);
}

}  // namespace gp
