#include "simulation/run/recorded_run.h"

#include <algorithm>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/command_traits.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

// Commands of users and operators, and the policy of each start.
bool IsRequested(const Command& command) {
  return std::visit([]<typename C>(const C&) { return (kCommandTraitsOf<C> & kRecorded) != 0; },
                    command);
}

Duration LengthOf(const Job& job, Instant now) {
  Duration length;
  for (const AttemptRecord& attempt : job.attempts) {
    if (attempt.started_at.ns == 0) continue;
    const Instant end = attempt.ended_at.ns == 0 ? now : attempt.ended_at;
    // started_at is from the node's clock, which may be off.
    const Duration ran = end - std::clamp(attempt.started_at, attempt.placed_at, end);
    length = KeepsWork(*job.spec) ? length + ran : ran;
  }
  return length;
}

}  // namespace

void RunRecorder::Add(const Record& record) {
  usage_.Observe(state_, record.envelope.at);
  if (watch_) watch_(state_, record.envelope.at);
  AddStep(record);
  for (const Event& event : record.events) {
    Apply(state_, record.envelope.at, event);
    NoteEvent(record.envelope.at, event);
  }
  run_.ends_at = record.envelope.at;
}

void RunRecorder::AddStep(const Record& record) {
  if (!IsRequested(record.envelope.command)) return;
  if (const auto* stop = std::get_if<StopJob>(&record.envelope.command)) {
    // The stop of a job that ran is already part of its length.
    const Job* job = state_.FindJob(stop->job);
    if (job == nullptr || !job->attempts.empty()) return;
  }
  run_.steps.push_back({record.envelope.at, record.envelope.command});
}

void RunRecorder::NoteEvent(Instant at, const Event& event) {
  if (const auto* joined = std::get_if<NodeJoined>(&event)) {
    run_.steps.push_back({at, NodeArrival{joined->node, joined->facts}});
  } else if (const auto* submitted = std::get_if<JobSubmitted>(&event)) {
    NoteSubmit(at, *submitted);
  } else if (const auto* placed = std::get_if<GangPlaced>(&event)) {
    JobLife& life = run_.lives[lives_.at(placed->job)];
    if (!life.started_at) life.started_at = at;
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event)) {
    JobLife& life = run_.lives[lives_.at(requeued->job)];
    life.preemptions += requeued->charge == RequeueCharge::kPreemption ? 1 : 0;
    life.faults += requeued->charge == RequeueCharge::kFault ? 1 : 0;
    run_.faults += requeued->charge == RequeueCharge::kFault ? 1 : 0;
  } else if (const auto* ended = std::get_if<JobEnded>(&event)) {
    Measure(*state_.FindJob(ended->job), at);
    run_.lives[lives_.at(ended->job)].ended_at = at;
  } else if (std::holds_alternative<NodeLost>(event)) {
    ++run_.faults;
  }
}

void RunRecorder::NoteSubmit(Instant at, const JobSubmitted& event) {
  steps_[event.job] = run_.steps.size();
  JobArrival arrival{event.job, event.spec, event.user, {}, {}};
  arrival.lengths.resize(static_cast<size_t>(event.spec->policy.array.count));
  run_.steps.push_back({at, std::move(arrival)});
  for (const JobId id : JobsOf(event.job, *event.spec)) {
    lives_[id] = run_.lives.size();
    run_.lives.push_back({event.queue, at, {}, {}, 0, 0});
  }
}

void RunRecorder::Measure(const Job& job, Instant now) {
  auto& arrival = std::get<JobArrival>(run_.steps[steps_.at(SubmittedAs(job))].what);
  Duration& length = job.array.value == 0
                         ? arrival.length
                         : arrival.lengths[static_cast<size_t>(IndexIn(job.array, job.id))];
  length = LengthOf(job, now);
}

RecordedRun RunRecorder::Take() {
  for (const auto& [id, job] : state_.jobs.all) {
    if (IsTerminal(job.state)) continue;
    Measure(job, run_.ends_at);
    ++run_.unfinished;
  }
  run_.usage = usage_.so_far();
  return std::move(run_);
}

}  // namespace gp
