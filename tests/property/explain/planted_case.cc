#include "tests/property/explain/planted_case.h"

#include <algorithm>
#include <map>

#include "domain/cluster/preemption.h"
#include "domain/defragmenting/find_moves.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

const User kAna{"ana", 1000, 1000};
const User kBen{"ben", 1001, 1001};

}  // namespace

PlantedCase::PlantedCase(uint64_t seed) : rng_(seed) {
  engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
  const int nodes = rng_.Between(1, 3);
  for (int i = 0; i < nodes; ++i) {
    NodeFacts facts = PlainNode(i, 8);
    for (GpuFacts& gpu : facts.gpus) gpu.model = i == 0 ? "NVIDIA H100" : "NVIDIA A100";
    engine_.AddNode(facts);
  }
}

Planted PlantedCase::Plant() {
  switch (rng_.Below(12)) {
    case 0: return PlantHardware();
    case 1: return PlantAway();
    case 2: return PlantQuota();
    case 3: return PlantTopology();
    case 4: return PlantHost();
    case 5: return PlantKept();
    case 6: return PlantReservation();
    case 7: return PlantLongBeforeReservation();
    case 8: return PlantLongInReservation();
    case 9: return PlantLongBeforeStart();
    case 10: return PlantFragments();
    default: return PlantCapacity();
  }
}

bool PlantedCase::StartsWith(const Change& change) const {
  if (change.kind == ChangeKind::kMove) return StartsAfterMoves(change.moves);
  Engine trial = engine_;
  if (change.kind == ChangeKind::kWait) {
    for (const JobId other : change.waits_for) trial.Finish(other);
    trial.Pass();
    return HoldsLeases(trial.state().FindJob(job_)->state);
  }
  return Starts(trial, *change.spec, change.queue, change.interrupts);
}

bool PlantedCase::StartsWith(const std::function<void(JobSpec&)>& edit) const {
  Engine trial = engine_;
  JobSpec spec = *job().spec;
  edit(spec);
  return Starts(trial, spec, job().queue, {});
}

bool PlantedCase::Starts(Engine& trial, JobSpec spec, const std::string& queue,
                         const std::vector<JobId>& interrupts) const {
  (void)trial.Execute(StopJob{job_, true});
  spec.policy.queue = queue;
  const auto changed = trial.Submit(std::make_shared<const JobSpec>(spec), job().user);
  if (!changed) return false;
  trial.Pass();
  for (const JobId victim : interrupts) {
    if (!IsBeingPreempted(*trial.state().FindJob(victim))) return false;
  }
  for (const JobId victim : interrupts) trial.Stop(victim);
  if (!interrupts.empty()) trial.Pass();
  return HoldsLeases(trial.state().FindJob(*changed)->state);
}

// As `defrag apply` orders them, whatever they cost: the job starts, and so does everybody who was
// moved.
bool PlantedCase::StartsAfterMoves(const std::vector<JobId>& moves) const {
  Engine trial = engine_;
  Planner planner;
  const Plan pass = planner.Schedule(trial.state(), trial.now());
  const auto plan = MoveFinder(trial.state(), trial.now(), planner.classes(), pass).Find(job());
  if (!plan || !trial.Execute(plan->moves)) return false;
  std::vector<JobId> moved;
  for (const MoveJobs::Move& move : plan->moves.moves) moved.push_back(move.job);
  std::ranges::sort(moved);
  if (moved != moves) return false;
  for (const JobId id : moved) trial.Stop(id);
  trial.Pass();
  const auto runs = [&trial](JobId id) { return HoldsLeases(trial.state().FindJob(id)->state); };
  return runs(job_) && std::ranges::all_of(moved, runs);
}

JobSpec PlantedCase::Spec(int gpus) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = gpus;
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = int64_t{1} << 30;
  return spec;
}

JobId PlantedCase::Submit(const JobSpec& spec, const User& user) {
  const JobId id = *engine_.Submit(std::make_shared<const JobSpec>(spec), user);
  engine_.Pass();
  return id;
}

JobId PlantedCase::Run(const JobSpec& spec) {
  const JobId id = Submit(spec, kBen);
  if (HoldsLeases(engine_.state().FindJob(id)->state)) engine_.Start(id);
  return id;
}

void PlantedCase::Wait(const JobSpec& spec) { job_ = Submit(spec, kAna); }

// Reserves the first `nodes` nodes; for nobody where `user` is empty.
void PlantedCase::Reserve(int nodes, Duration from_now, Duration lasts, const std::string& user) {
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  for (int i = 0; i < nodes; ++i)
    reserve.reservation.nodes.push_back(engine_.state().nodes.all[static_cast<size_t>(i)].id);
  reserve.reservation.starts_at = engine_.now() + from_now;
  reserve.reservation.ends_at = reserve.reservation.starts_at + lasts;
  if (!user.empty()) reserve.reservation.users = {user};
  (void)engine_.Execute(reserve);
}

int PlantedCase::FreeOn(const Node& node) const {
  return static_cast<int>(
      std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return gpu.leases.empty(); }));
}

int PlantedCase::Free() const {
  int free = 0;
  for (const Node& node : engine_.state().nodes.all) free += FreeOn(node);
  return free;
}

int PlantedCase::MostFree() const {
  int most = 0;
  for (const Node& node : engine_.state().nodes.all) most = std::max(most, FreeOn(node));
  return most;
}

// Jobs of 1 to 4 GPUs, some of which end some day, some of which give way.
void PlantedCase::Fill(int gpus_left_max) {
  for (int tries = 0; tries < 200 && Free() > gpus_left_max; ++tries) {
    JobSpec spec = Spec(std::min(1 << rng_.Between(0, 2), std::max(Free() - gpus_left_max, 1)));
    if (rng_.Chance(1, 2)) spec.policy.time_limit = Duration::Minutes(rng_.Between(60, 600));
    spec.policy.preemptible = rng_.Chance(1, 3);
    if (rng_.Chance(1, 3)) spec.policy.priority = 250;
    const JobId id = Run(spec);
    if (!HoldsLeases(engine_.state().FindJob(id)->state)) (void)engine_.Execute(StopJob{id, true});
  }
}

}  // namespace gp
