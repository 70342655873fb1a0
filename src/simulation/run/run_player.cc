#include "simulation/run/run_player.h"

#include <algorithm>
#include <type_traits>

#include "base/assert.h"
#include "domain/cluster/next_deadline.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

// How many times in a row the time advances without an event, if only time can help a pending job
// (for example the next period of GPU-hours).
constexpr int kIdleLooksMax = 1'000;

}  // namespace

RunPlayer::RunPlayer(const RunSteps& steps, const PlayOptions& options)
    : steps_(steps), options_(options) {}

PlayedRun RunPlayer::Play() {
  if (steps_.empty()) return {};
  engine_.AdvanceTo(steps_.front().at);
  AddNodes();
  for (Instant next = NextInstant(); next != kNever; next = NextInstant()) {
    if (next > options_.until) break;
    AdvanceTo(next);
    FinishDue();
    while (next_step_ < steps_.size() && steps_[next_step_].at <= next) {
      Do(steps_[next_step_++]);
      NoteProgress();
    }
    const Instant deadline = NextDeadline(engine_.state());
    if (deadline.ns != 0 && deadline <= next) Execute(Tick{});
    Settle();
  }
  if (options_.until != kNever) {
    AdvanceTo(std::max(options_.until, engine_.now()));
    NoteProgress();
  }
  return std::move(played_);
}

void RunPlayer::AdvanceTo(Instant at) {
  usage_.Observe(engine_.state(), at);
  if (options_.watch) options_.watch(engine_.state(), at);
  engine_.AdvanceTo(at);
}

// The run ends with its last event: a job that waits forever does not make it longer.
void RunPlayer::NoteProgress() {
  played_.usage = usage_.so_far();
  played_.ends_at = engine_.now();
  idle_looks_ = 0;
}

// kNever: as far as is known nothing will change any more, even if jobs are pending.
Instant RunPlayer::NextInstant() {
  Instant next = next_step_ < steps_.size() ? steps_[next_step_].at : kNever;
  const State& state = engine_.state();
  if (next == kNever && ends_.empty() && state.jobs.queued.empty() && state.jobs.retries.empty() &&
      state.jobs.decided.empty() && state.nodes.losses.empty()) {
    return kNever;
  }
  if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
  const Instant deadline = NextDeadline(engine_.state());
  if (deadline.ns != 0) next = std::min(next, deadline);
  if (look_again_at_.ns != 0 && look_again_at_ < next &&
      (next != kNever || ++idle_looks_ < kIdleLooksMax))
    next = look_again_at_;
  return next == kNever ? next : std::max(next, engine_.now());
}

void RunPlayer::AddNodes() {
  for (const auto& facts : options_.added) engine_.AddNode(*facts);
}

void RunPlayer::Do(const RunStep& step) {
  if (const auto* node = std::get_if<NodeArrival>(&step.what)) return Join(*node);
  if (const auto* job = std::get_if<JobArrival>(&step.what)) return Submit(*job, step.at);
  Ask(std::get<Command>(step.what));
}

void RunPlayer::Join(const NodeArrival& node) {
  if (options_.removed.contains(node.facts->name)) return;
  const auto known = nodes_.find(node.id);
  if (known == nodes_.end()) {
    nodes_[node.id] = engine_.AddNode(*node.facts);
    return;
  }
  const Node& lost = *engine_.state().FindNode(known->second);
  if (lost.condition != NodeCondition::kLost) return;
  JoinNode join;
  join.facts = lost.facts;
  join.incarnation = lost.incarnation + 1;
  join.fresh = true;
  Execute(std::move(join));
  engine_.ReportHealthy(lost);
}

void RunPlayer::Submit(const JobArrival& job, Instant at) {
  const size_t life = played_.lives.size();
  played_.lives.insert(played_.lives.end(), static_cast<size_t>(CountJobs(*job.spec)),
                       {job.spec->policy.queue, at, {}, {}, 0, 0});
  const auto spec = Translate(job.spec);
  const auto id = spec == nullptr ? Fail(NotFound("a job that it depends on does not exist"))
                                  : engine_.Submit(spec, job.user);
  if (!id) {
    played_.refused += CountJobs(*job.spec);
    return;
  }
  jobs_[job.id] = *id;
  const std::vector<JobId> theirs = JobsOf(job.id, *job.spec);
  const std::vector<JobId> ours = JobsOf(*id, *job.spec);
  for (size_t i = 0; i < ours.size(); ++i) {
    jobs_[theirs[i]] = ours[i];
    played_.lives[life + i].queue = engine_.state().FindJob(ours[i])->queue;
    const Duration length = job.lengths.empty() ? job.length : job.lengths[i];
    progress_[ours[i]] = {life + i, length, length, job.checkpoint_every, {}, false};
  }
}

// Replaces the ids of the jobs that it depends on by their ids in this run; nullptr: one of them
// was refused.
std::shared_ptr<const JobSpec> RunPlayer::Translate(
    const std::shared_ptr<const JobSpec>& spec) const {
  if (spec->policy.after.empty()) return spec;
  auto translated = std::make_shared<JobSpec>(*spec);
  for (Dependency& dependency : translated->policy.after) {
    const auto known = jobs_.find(dependency.job);
    if (known == jobs_.end()) return nullptr;
    dependency.job = known->second;
  }
  return translated;
}

// Replaces ids by those of this run; false: the command names something that does not exist here.
bool RunPlayer::Translate(Command& command) const {
  const auto translate = [](auto& id, const auto& known) {
    const auto found = known.find(id);
    if (found == known.end()) return false;
    id = found->second;
    return true;
  };
  return std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, StartController>) {
          one.lineage = 0;
          one.cut = false;
          if (options_.policy) options_.policy(one.policy);
        }
        if constexpr (std::is_same_v<T, SetPolicy>) {
          if (options_.policy) options_.policy(one.policy);
        }
        if constexpr (std::is_same_v<T, ReserveNodes>) {
          for (NodeId& node : one.reservation.nodes) {
            if (!translate(node, nodes_)) return false;
          }
        }
        if constexpr (requires { one.node; }) return translate(one.node, nodes_);
        if constexpr (requires { one.job; }) return translate(one.job, jobs_);
        return true;
      },
      command);
}

void RunPlayer::Ask(Command command) {
  if (!Translate(command)) {
    ++played_.refused;
    return;
  }
  const auto* service = std::get_if<ChangeService>(&command);
  // Faults and their remedies are not played.
  if (service != nullptr && service->action == ServiceAction::kReset) return;
  const NodeId back = service != nullptr && service->action == ServiceAction::kOnline
                          ? service->node
                          : NodeId{~uint32_t{0}};
  Execute(std::move(command));
  const Node* node = engine_.state().FindNode(back);
  if (node != nullptr && node->condition == NodeCondition::kUp) engine_.ReportHealthy(*node);
}

void RunPlayer::Execute(Command command) {
  const auto events = engine_.Execute(std::move(command));
  if (!events) {
    ++played_.refused;
    return;
  }
  for (const Event& event : *events) Follow(event);
}

void RunPlayer::Follow(const Event& event) {
  if (const auto* ended = std::get_if<JobEnded>(&event)) NoteEnd(ended->job);
  if (const auto* lost = std::get_if<NodeLost>(&event)) Crash(lost->node);
  const auto* stop = std::get_if<JobStopOrdered>(&event);
  if (stop != nullptr && !engine_.state().FindJob(stop->job)->leases.empty()) Interrupt(stop->job);
}

void RunPlayer::FinishDue() {
  while (!ends_.empty() && ends_.begin()->first <= engine_.now()) {
    const JobId job = ends_.begin()->second;
    ends_.erase(ends_.begin());
    progress_.at(job).runs = false;
    engine_.Finish(job);
    NoteEnd(job);
    NoteProgress();
  }
}

// Runs passes until they preempt no more jobs.
void RunPlayer::Settle() {
  while (true) {
    const Plan plan = engine_.Pass();
    look_again_at_ = plan.look_again_at;
    bool interrupts = false;
    for (const Plan::Step& step : plan.steps) {
      if (const auto* placed = std::get_if<PlaceGang>(&step)) {
        Start(placed->job);
      } else {
        Interrupt(std::get<PreemptJob>(step).job);
        interrupts = true;
      }
    }
    if (!interrupts) return;
  }
}

void RunPlayer::Start(JobId job) {
  Progress& progress = progress_.at(job);
  JobLife& life = played_.lives[progress.life];
  if (!life.started_at) life.started_at = engine_.now();
  progress.started_at = engine_.now();
  progress.runs = true;
  ends_.insert({engine_.now() + progress.left, job});
  engine_.Start(job);
}

// The job stops at once; its work so far is kept if its spec says so.
void RunPlayer::Interrupt(JobId job) {
  const bool is_preempted = engine_.state().FindJob(job)->stop == StopCause::kPreempt;
  const bool keeps_work = KeepsWork(*engine_.state().FindJob(job)->spec);
  Halt(job, keeps_work ? engine_.now() - progress_.at(job).started_at : Duration{});
  engine_.Stop(job);
  if (IsTerminal(engine_.state().FindJob(job)->state)) return NoteEnd(job);
  played_.lives[progress_.at(job).life].preemptions += is_preempted ? 1 : 0;
}

// Jobs on the node die without a stop; only their checkpoints remain.
void RunPlayer::Crash(NodeId node) {
  for (const LeaseId lease : engine_.state().FindNode(node)->leases) {
    const JobId job = engine_.state().FindLease(lease)->job;
    const Progress& progress = progress_.at(job);
    if (!progress.runs) continue;
    const int64_t every = progress.checkpoint_every.ns;
    const int64_t ran = (engine_.now() - progress.started_at).ns;
    Halt(job, Duration{every > 0 ? ran - ran % every : 0});
    ++played_.lives[progress.life].faults;
  }
}

// Ends the job's current run; `kept` is the part of its work since the start that survives.
void RunPlayer::Halt(JobId job, Duration kept) {
  Progress& progress = progress_.at(job);
  if (!progress.runs) return;
  progress.runs = false;
  ends_.erase({progress.started_at + progress.left, job});
  const bool resumes =
      KeepsWork(*engine_.state().FindJob(job)->spec) || progress.checkpoint_every.ns > 0;
  progress.left = resumes ? progress.left - kept + options_.resume_cost : progress.length;
}

void RunPlayer::NoteEnd(JobId job) {
  played_.lives[progress_.at(job).life].ended_at = engine_.now();
}

}  // namespace gp
