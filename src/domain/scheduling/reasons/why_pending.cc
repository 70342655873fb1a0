#include "domain/scheduling/reasons/why_pending.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/planner.h"
#include "domain/scheduling/reasons/why_no_place.h"

namespace gp {
namespace {

// The jobs without a time limit on the nodes that are reserved for the owner: "job-3", "job-3 and 2
// more".
std::string EndlessOn(const State& state, const std::map<NodeId, BackfillReservation>& backfill,
                      JobId owner) {
  std::set<JobId> endless;
  for (const auto& [node, one] : backfill) {
    if (one.job != owner) continue;
    for (const LeaseId lease : state.FindNode(node)->leases) {
      const Job& holder = *state.FindJob(state.FindLease(lease)->job);
      if (LatestEnd(holder) == kNever) endless.insert(holder.id);
    }
  }
  if (endless.empty()) return "";
  return NameOf(state, *endless.begin()) +
         (endless.size() == 1 ? "" : " and " + std::to_string(endless.size() - 1) + " more");
}

// When the owner of a backfill reservation starts, or what it waits for.
std::string WhenItStarts(const State& state, const std::map<NodeId, BackfillReservation>& all,
                         const BackfillReservation& backfill) {
  if (HasShadowTime(backfill))
    return ", which starts by " + ToRfc3339(WallOf(state.time, backfill.shadow_time));
  if (AwaitsVictims(state, backfill.job)) return ", for which others are being preempted";
  const std::string endless =
      backfill.shadow_time == kUnknownStart ? EndlessOn(state, all, backfill.job) : "";
  if (endless.empty()) return "";
  return ", which waits for " + endless +
         (endless.contains(" and ") ? ", which have" : ", which has") + " no time limit";
}

// For which jobs and advance reservations the fitting nodes are reserved.
struct Owners {
  std::string text;  // "job-4, which starts by …; reservation course from … on"
  bool any_job = false;
  bool would_limit_help = false;  // the job has no time limit; with one it could run there
};

class OwnersOf {
 public:
  OwnersOf(const State& state, Instant at, const Plan& plan, const Job& job)
      : state_(state), at_(at), plan_(plan), job_(job) {}

  Owners Find() {
    for (const JobId id : state_.jobs.recovering) AddRecovering(*state_.FindJob(id));
    for (const PlaceGang& held : plan_.held) AddMoved(held);
    AddKept();
    for (const auto& [name, reservation] : state_.reservations.all) {
      if (reservation.pool != job_.pool || Permits(reservation, job_, at_)) continue;
      Add("reservation " + name + " from " + ToRfc3339(WallOf(state_.time, reservation.starts_at)) +
          " on");
    }
    return std::move(owners_);
  }

 private:
  void Add(const std::string& text) { owners_.text += (owners_.text.empty() ? "" : "; ") + text; }
  void AddJob(const std::string& text) {
    Add(text);
    owners_.any_job = true;
  }
  bool FitsOn(NodeId node) const { return Fits(*state_.FindNode(node), job_); }

  // A job that was interrupted by a fault keeps its remaining GPUs for a while.
  void AddRecovering(const Job& interrupted) {
    const bool is_waiting = interrupted.state == JobState::kQueued;
    if (interrupted.id == job_.id || (is_waiting && at_ >= interrupted.recovers_until) ||
        HasVariants(*interrupted.spec))
      return;
    if (std::ranges::none_of(interrupted.attempts.back().ranks,
                             [&](const RankRecord& rank) { return FitsOn(rank.node); }))
      return;
    AddJob(NameOf(interrupted) + ", which a fault has interrupted" +
           (is_waiting ? ", until " + ToRfc3339(WallOf(state_.time, interrupted.recovers_until))
                       : ""));
  }

  void AddMoved(const PlaceGang& held) {
    const Job* moved = state_.FindJob(held.job);  // may have been forgotten meanwhile
    if (moved == nullptr || moved->destination.empty() || held.job == job_.id) return;
    if (std::ranges::none_of(held.ranks,
                             [&](const RankPlacement& rank) { return FitsOn(rank.node); }))
      return;
    AddJob(NameOf(state_, held.job) + ", which is being moved there");
  }

  void AddKept() {
    std::map<JobId, BackfillReservation> owners;
    const Instant ends_at = EndOfStay(at_, *job_.spec);
    for (const auto& [node, backfill] : plan_.backfill) {
      if (backfill.job == job_.id || ends_at <= backfill.shadow_time ||
          owners.contains(backfill.job))
        continue;
      if (FitsOn(node)) owners[backfill.job] = backfill;
    }
    for (const auto& [owner, backfill] : owners) {
      AddJob(NameOf(state_, owner) + WhenItStarts(state_, plan_.backfill, backfill));
      owners_.would_limit_help = owners_.would_limit_help || backfill.shadow_time == kUnknownStart;
    }
  }

  const State& state_;
  const Instant at_;
  const Plan& plan_;
  const Job& job_;
  Owners owners_;
};

bool IsPlaced(const Plan& plan, JobId job) {
  return std::ranges::any_of(plan.steps, [&](const Plan::Step& step) {
    const auto* place = std::get_if<PlaceGang>(&step);
    return place != nullptr && place->job == job;
  });
}

// A variant of a job and its number of nodes.
struct Way {
  int variant = 0;
  int nodes = 0;
};

Job As(const Job& job, const Way& way) {
  if (!HasVariants(*job.spec)) return job;
  Job as = job;
  as.spec = Resolve(job.spec, way.variant, way.nodes);
  return as;
}

// The variant with the mildest reason, on its fewest nodes.
Way NearestWay(const State& state, const NodeClasses& classes, const Job& job) {
  Way nearest{0, LeastNodes(*job.spec)};
  if (!HasVariants(*job.spec)) return nearest;
  std::optional<PendingKind> mildest;
  for (int i = 0; i < CountVariants(*job.spec); ++i) {
    const Way way{i, NodesOf(*job.spec, i).least};
    const PendingKind kind = WhyNoPlace(state, classes, As(job, way)).kind;
    if (mildest && kind <= *mildest) continue;
    mildest = kind;
    nearest = way;
  }
  return nearest;
}

const char* CodeOf(QuotaStop::Kind kind) {
  switch (kind) {
    case QuotaStop::Kind::kGpus: return "QuotaGpus";
    case QuotaStop::Kind::kJobs: return "QuotaJobs";
    case QuotaStop::Kind::kGpuHours: return "QuotaGpuHours";
    case QuotaStop::Kind::kCpus: return "QuotaCpus";
    case QuotaStop::Kind::kMemory: return "QuotaMemory";
    case QuotaStop::Kind::kGuarantees: return "QuotaNonPreemptible";
    case QuotaStop::Kind::kBudget: return "BudgetUsedUp";
  }
  return "?";
}

// Limits and advance reservations that stop the job, even where it would fit. Limits are not
// checked for a job that fits nowhere: raising them would not help.
std::optional<PendingReason> WhatIsDenied(const State& state, Instant at, const Job& job,
                                          PendingReason reason) {
  if (std::string waits = WhyReservationWaits(state, job, at); !waits.empty()) {
    reason.kind = PendingKind::kReservation;
    reason.code = CodeOf(reason.kind);
    reason.text = std::move(waits);
    return reason;
  }
  const auto stop =
      reason.kind < PendingKind::kQuota ? std::nullopt : FindQuotaStop(state, job, at);
  if (!stop) return std::nullopt;
  reason.kind = PendingKind::kQuota;
  reason.code = stop->account.array.value != 0 ? "JobArrayTaskLimit" : CodeOf(stop->kind);
  reason.text = ToText(*stop);
  return reason;
}

}  // namespace

PendingReason WhyPending(const State& state, Instant at, const Job& job) {
  return PendingReasons(state, at).Of(job);
}

PendingReasons::PendingReasons(const State& state, Instant at, const Plan* plan,
                               const IncidentsByGpu* incidents)
    : state_(state), at_(at), plan_(plan), incidents_(incidents) {}

const PendingReasons::Known& PendingReasons::PlaceOf(const Job& job) {
  if (!classes_) {
    classes_.emplace();
    for (const Node& node : state_.nodes.all) classes_->Place(node);
  }
  const auto [known, is_new] = known_.try_emplace(ShapeOf(job));
  if (is_new) {
    const Way way = NearestWay(state_, *classes_, job);
    known->second = {WhyNoPlace(state_, *classes_, As(job, way), incidents_), way.variant,
                     way.nodes};
  }
  return known->second;
}

// It fits: the next pass places it, or its nodes are reserved for, or used by, jobs before it.
PendingReason PendingReasons::WithQueuePosition(const Job& job, PendingReason reason) {
  if (plan_ == nullptr) plan_ = &own_plan_.emplace(Schedule(state_, at_));
  if (plan_->is_unknown) {
    reason.text = "fits now; only the leader knows which jobs come before it";
    return reason;
  }
  const bool is_later = plan_->made_at < job.queued_at;  // no pass has seen the job yet
  if (is_later || IsPlaced(*plan_, job.id)) return reason;
  const Owners owners = OwnersOf(state_, at_, *plan_, job).Find();
  if (owners.text.empty()) {
    reason.code = "Priority";
    reason.text = "fits now, but jobs before it take the place";
    return reason;
  }
  reason.kind = PendingKind::kReserved;
  reason.code = owners.any_job ? "ReservedForJob" : "ReservedForReservation";
  reason.text =
      "fits on " + Count(reason.nodes_now, "node") + ", but nodes are reserved for " + owners.text +
      (owners.would_limit_help ? " (with a time limit it may run there meanwhile: --time-limit)"
                               : "");
  return reason;
}

std::vector<PendingReason> PendingReasons::All(const Job& waiting) {
  const Known& known = PlaceOf(waiting);
  const Job job = As(waiting, {known.variant, known.nodes});
  std::vector<PendingReason> reasons;
  if (auto denied = WhatIsDenied(state_, at_, job, known.reason))
    reasons.push_back(*std::move(denied));
  if (known.reason.kind != PendingKind::kTurn) {
    reasons.push_back(known.reason);
  } else if (reasons.empty()) {
    reasons.push_back(WithQueuePosition(job, known.reason));
  }
  std::ranges::sort(reasons, {}, &PendingReason::kind);
  return reasons;
}

const char* Name(PendingKind kind) {
  switch (kind) {
    case PendingKind::kNoNodes: return "no-nodes";
    case PendingKind::kNoSuchHardware: return "no-such-hardware";
    case PendingKind::kNodesAway: return "nodes-away";
    case PendingKind::kTopology: return "topology";
    case PendingKind::kReservation: return "reservation";
    case PendingKind::kQuota: return "quota";
    case PendingKind::kCapacity: return "capacity";
    case PendingKind::kHost: return "host";
    case PendingKind::kReserved: return "reserved";
    case PendingKind::kTurn: return "turn";
  }
  return "?";
}

// The codes of Slurm, where it has one.
const char* CodeOf(PendingKind kind) {
  switch (kind) {
    case PendingKind::kNoNodes: return "NoNodes";
    case PendingKind::kNoSuchHardware: return "NoSuchHardware";
    case PendingKind::kNodesAway: return "ReqNodeNotAvail";
    case PendingKind::kReservation: return "Reservation";
    case PendingKind::kQuota: return "Quota";
    case PendingKind::kCapacity: return "Resources";
    case PendingKind::kTopology: return "Topology";
    case PendingKind::kHost: return "HostResources";
    case PendingKind::kReserved: return "ReservedForJob";
    case PendingKind::kTurn: return "WaitingForScheduling";
  }
  return "?";
}

}  // namespace gp
