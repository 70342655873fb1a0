#include <algorithm>

#include "base/digest.h"
#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/under_use.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/job_text.h"
#include "domain/model/jobs/ports.h"

namespace gp {
namespace {

const LeaseObservation* FindObservation(const std::vector<LeaseObservation>& all, LeaseId id) {
  const auto it = std::ranges::find(all, id, &LeaseObservation::lease);
  return it == all.end() ? nullptr : &*it;
}

// Whether all other ranks run already, or ended on their own, so that this one completes the gang's
// start.  A rank that was stopped or lost may never have run.
bool CompletesGang(const State& state, const Job& job, LeaseId starting) {
  return job.state == JobState::kStarting &&
         std::ranges::all_of(job.attempts.back().ranks, [&](const RankRecord& rank) {
           const Lease* lease = state.FindLease(rank.lease);
           if (lease == nullptr) return rank.outcome.end == LeaseEnd::kExited;
           return rank.lease == starting || lease->phase == LeasePhase::kStarted;
         });
}

void NoteCheckpoints(Instant at, const Job& job, const Lease& lease,
                     const std::vector<Checkpoint>& reported, Events& events) {
  int64_t seen = job.attempts.back().ranks[static_cast<size_t>(lease.rank)].checkpoints_seen;
  for (Checkpoint one : reported) {
    if (one.number <= seen) continue;
    seen = one.number;
    one.attempt = lease.attempt;
    one.rank = lease.rank;
    one.at = at;  // the node's wall clock is not reliable
    events.push_back(CheckpointSaved{job.id, std::move(one)});
  }
}

// What rank 0 found first is the image of all ranks and of later attempts.
void NoteImage(const Job& job, const Lease& lease, const LeaseObservation& seen, Events& events) {
  const bool is_news = lease.rank == 0 && !seen.ended && job.image_digest.empty();
  if (is_news && IsSha256Name(seen.image_digest) && HasLayers(job.spec->program.image))
    events.push_back(ImageResolved{job.id, seen.image_digest});
}

// What rank 0's agent leased first stays the attempt's.
void NotePorts(const Job& job, const Lease& lease, const LeaseObservation& seen, Events& events) {
  const AttemptRecord& attempt = job.attempts.back();
  const bool is_news =
      lease.rank == 0 && !seen.ended && attempt.leases_ports && attempt.first_port == 0;
  if (is_news && IsFirstPort(seen.first_port))
    events.push_back(PortsLeased{job.id, seen.first_port});
}

// The start as an instant of the controller, from the time that the program has run.  If only the
// node's wall clock is known, which may be wrong, the result is clamped between the placement and
// now.
Instant StartOf(const State& state, Instant at, Instant placed_at, const LeaseObservation& seen) {
  if (seen.ran.ns > 0) return at - seen.ran;
  if (seen.started_at.ns <= 0) return at;
  const Instant reported = std::min(seen.started_at, WallOf(state.time, at));
  return std::max(InstantOf(state.time, reported), placed_at);
}

StopCause CauseOf(MetricAction action) {
  switch (action) {
    case MetricAction::kStop: return StopCause::kMetricStop;
    case MetricAction::kRestart: return StopCause::kMetricRestart;
    case MetricAction::kComplete: break;
  }
  return StopCause::kMetricComplete;
}

// The stop by the rule of on_metric that the rank has met.  What it reported says more of an
// attempt than the exit that may follow, but does not change what was ordered before.
std::optional<OrderedStop> StopByMetric(const Job& job, const Lease& lease,
                                        const LeaseObservation& seen) {
  const std::vector<MetricRule>& rules = job.spec->recovery.on_metric;
  const bool is_met = seen.metric_rule > 0 && static_cast<size_t>(seen.metric_rule) <= rules.size();
  const bool is_first = job.stop == StopCause::kNone || job.stop == StopCause::kRankFailed;
  if (!is_met || !is_first) return std::nullopt;
  const MetricAction action = rules[static_cast<size_t>(seen.metric_rule) - 1].action;
  const std::string rank =
      job.spec->resources.nodes > 1 ? "rank " + std::to_string(lease.rank) + ": " : "";
  return OrderedStop{CauseOf(action),
                     rank + seen.metric_value + ": on_metric says " + std::string(ToText(action))};
}

void ObserveLease(const State& state, Instant at, const Lease& lease, const LeaseObservation& seen,
                  Events& events) {
  const Job& job = *state.FindJob(lease.job);
  // A lease that was declined, or could not start, has ended without running.
  const bool ran = seen.running || (seen.ended && seen.started_at.ns > 0);
  if (ran && lease.phase == LeasePhase::kGranted) {
    const Instant placed_at = job.attempts.back().placed_at;
    events.push_back(LeaseStarted{lease.id, StartOf(state, at, placed_at, seen)});
    if (CompletesGang(state, job, lease.id)) events.push_back(JobStarted{job.id});
  }
  NoteImage(job, lease, seen, events);
  NotePorts(job, lease, seen, events);
  NoteCheckpoints(at, job, lease, seen.checkpoints, events);
  ObserveUse(state, at, job, lease, seen.use, seen.ended, events);
  const std::optional<OrderedStop> by_metric = StopByMetric(job, lease, seen);
  if (seen.ended) {
    EndLease(state, at, lease, seen.outcome, events, by_metric);
  } else if (by_metric) {
    events.push_back(
        JobStopOrdered{job.id, by_metric->cause, StopOrder::kGraceful, by_metric->reason});
  } else if (seen.is_hung && job.stop == StopCause::kNone && job.spec->recovery.hang_after.ns > 0) {
    const std::string who = job.spec->resources.nodes > 1
                                ? "rank " + std::to_string(lease.rank) + " hangs"
                                : "it hangs";
    events.push_back(
        JobStopOrdered{job.id, StopCause::kHang, StopOrder::kGraceful,
                       who + ": no progress for " + ToText(job.spec->recovery.hang_after)});
  }
}

}  // namespace

void ObserveLeases(const State& state, Instant at, const Node& node,
                   const std::vector<LeaseObservation>& observed, bool all_missing_ended,
                   Events& events) {
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state.FindLease(id);
    if (const LeaseObservation* seen = FindObservation(observed, id)) {
      ObserveLease(state, at, lease, *seen, events);
    } else if (all_missing_ended || lease.phase == LeasePhase::kStarted) {
      EndLease(state, at, lease,
               {LeaseEnd::kSupervisorLost, 0, 0, "its node no longer knows of it"}, events);
    }
  }
}

}  // namespace gp
