// Waiting jobs with a cause that was planted: it is told, and what is suggested is true and smallest.
// GP_CASES: how many.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "base/rng.h"
#include "domain/cluster/preemption.h"
#include "domain/explaining/explain.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

class Case {
 public:
  explicit Case(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    const int nodes = rng_.Between(1, 3);
    for (int i = 0; i < nodes; ++i) {
      NodeFacts facts = PlainNode(i, 8);
      for (GpuFacts& gpu : facts.gpus) gpu.model = i == 0 ? "NVIDIA H100" : "NVIDIA A100";
      engine_.AddNode(facts);
    }
  }

  // What keeps the job waiting.
  PendingKind Plant() {
    switch (rng_.Below(7)) {
      case 0: return PlantHardware();
      case 1: return PlantAway();
      case 2: return PlantQuota();
      case 3: return PlantTopology();
      case 4: return PlantHost();
      case 5: return PlantReserved();
      default: return PlantCapacity();
    }
  }

  const Job& job() const { return *engine_.state().FindJob(job_); }
  Explanation Explained() const { return Explain(engine_.state(), engine_.now(), job()); }

  // Whether the job, changed so, starts.
  bool StartsWith(const Change& change) const {
    Engine trial = engine_;
    if (change.kind == ChangeKind::kWait) {
      for (const JobId other : change.waits_for) trial.Finish(other);
      trial.Pass();
      return HoldsLeases(trial.state().FindJob(job_)->state);
    }
    return Starts(trial, *change.spec, change.queue, change.interrupts);
  }
  bool StartsWith(const std::function<void(JobSpec&)>& edit) const {
    Engine trial = engine_;
    JobSpec spec = *job().spec;
    edit(spec);
    return Starts(trial, spec, job().queue, {});
  }

 private:
  bool Starts(Engine& trial, JobSpec spec, const std::string& queue, const std::vector<JobId>& interrupts) const {
    (void)trial.Execute(StopJob{job_, true});
    spec.queue = queue;
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

  static JobSpec Spec(int gpus) {
    JobSpec spec;
    spec.command = {"run"};
    spec.gpus.count = gpus;
    spec.cpus = 1;
    spec.memory_bytes = int64_t{1} << 30;
    return spec;
  }
  JobId Run(const JobSpec& spec) {
    const JobId id = *engine_.Submit(std::make_shared<const JobSpec>(spec), {"ben", 1001, 1001});
    engine_.Pass();
    if (HoldsLeases(engine_.state().FindJob(id)->state)) engine_.Start(id);
    return id;
  }
  void Wait(const JobSpec& spec) {
    job_ = *engine_.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
    engine_.Pass();
  }
  int Nodes() const { return static_cast<int>(engine_.state().nodes.size()); }

  // Jobs of 1 to 4 GPUs, some of which end some day, some of which give way.
  void Fill(int gpus_left_max) {
    for (int tries = 0; tries < 200; ++tries) {
      int free = 0;
      for (const Node& node : engine_.state().nodes) {
        for (const Gpu& gpu : node.gpus) free += gpu.leases.empty() ? 1 : 0;
      }
      if (free <= gpus_left_max) return;
      JobSpec spec = Spec(std::min(1 << rng_.Between(0, 2), std::max(free - gpus_left_max, 1)));
      if (rng_.Chance(1, 2)) spec.time_limit = Duration::Minutes(rng_.Between(60, 600));
      spec.preemptible = rng_.Chance(1, 3);
      if (rng_.Chance(1, 3)) spec.priority = 250;
      const JobId id = Run(spec);
      if (!HoldsLeases(engine_.state().FindJob(id)->state)) (void)engine_.Execute(StopJob{id, true});
    }
  }

  PendingKind PlantHardware() {
    Fill(rng_.Between(0, 8));
    JobSpec spec = Spec(rng_.Between(1, 8));
    switch (rng_.Below(4)) {
      case 0: spec.gpus.count = rng_.Between(9, 16); break;
      case 1: spec.gpus.models = {"B200"}; break;
      case 2: spec.gpus.memory_mib_min = int64_t{1} << 20; break;
      default: spec.nodes = Nodes() + rng_.Between(1, 3); break;
    }
    Wait(spec);
    return PendingKind::kNoSuchHardware;
  }

  PendingKind PlantAway() {
    JobSpec spec = Spec(rng_.Between(1, 8));
    spec.gpus.models = {"H100"};
    (void)engine_.Execute(ChangeService{NodeId{0}, -1, ServiceAction::kDrain, false, "test"});
    Wait(spec);
    return PendingKind::kNodesAway;
  }

  PendingKind PlantQuota() {
    SetQueue set;
    set.name = "tight";
    const int limit = rng_.Between(1, 6);
    (rng_.Chance(1, 2) ? set.limit : set.user_limit).gpus = limit;
    (void)engine_.Execute(set);
    JobSpec spec = Spec(rng_.Between(1, limit));
    spec.queue = "tight";
    JobSpec other = Spec(rng_.Between(limit - spec.gpus.count + 1, limit));
    other.queue = "tight";
    const JobId held = *engine_.Submit(std::make_shared<const JobSpec>(other), {"ana", 1000, 1000});
    engine_.Pass();
    engine_.Start(held);
    Wait(spec);
    return PendingKind::kQuota;
  }

  PendingKind PlantCapacity() {
    Fill(rng_.Between(0, 3));
    int most = 0;
    for (const Node& node : engine_.state().nodes) {
      most = std::max(most, static_cast<int>(std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return gpu.leases.empty(); })));
    }
    JobSpec spec = Spec(rng_.Between(most + 1, 8));
    if (rng_.Chance(1, 3)) spec.nodes = rng_.Between(1, Nodes());
    if (spec.nodes > 1) spec.gpus.models = {};
    engine_.AdvanceTo(engine_.now() + Duration::Minutes(rng_.Between(0, 30)));
    Wait(spec);
    // A gang takes GPUs of one model: there may never be so many nodes of one.
    const int alike = std::max(1, Nodes() - 1);
    return spec.nodes > alike ? PendingKind::kNoSuchHardware : PendingKind::kCapacity;
  }

  // On each node two or three GPUs of each NUMA node are free.
  PendingKind PlantTopology() {
    std::vector<JobId> jobs;
    for (int i = 0; i < Nodes() * 8; ++i) jobs.push_back(Run(Spec(1)));
    const int left = rng_.Between(2, 3);
    std::map<std::pair<uint32_t, int>, int> freed;
    for (const JobId id : jobs) {
      const Lease& lease = *engine_.state().FindLease(engine_.state().FindJob(id)->leases.front());
      const int numa = engine_.state().FindNode(lease.node)->facts->gpus[static_cast<size_t>(lease.gpus.front().gpu)].numa;
      if (freed[{lease.node.value, numa}]++ < left) engine_.Finish(id);
    }
    JobSpec spec = Spec(left + rng_.Between(1, 4 - left));
    if (rng_.Chance(1, 2)) spec.topology.require = TopologyLevel::kSameNuma;
    if (spec.topology.require == TopologyLevel::kNone) spec.topology.allow_cross_numa = false;
    Wait(spec);
    return PendingKind::kTopology;
  }

  PendingKind PlantHost() {
    JobSpec hog = Spec(0);
    int cores = 0;
    for (const NumaFacts& numa : engine_.state().nodes[0].facts->numa) cores += numa.cpus.Count();
    hog.cpus = cores - rng_.Between(1, 8);
    for (int i = 0; i < Nodes(); ++i) Run(hog);
    JobSpec spec = Spec(rng_.Between(1, 4));
    spec.cpus = rng_.Between(cores - hog.cpus + 1, cores);
    Wait(spec);
    return PendingKind::kHost;
  }

  // A large job has waited for long: the nodes that it could use are kept for it.
  PendingKind PlantReserved() {
    Fill(6);
    JobSpec large = Spec(8);
    large.gpus.models = {"H100"};  // the first node
    Wait(large);  // by the same user, or the turn would be the other's
    if (HoldsLeases(job().state)) {
      engine_.Start(job_);
      return PlantCapacity();
    }
    engine_.AdvanceTo(engine_.now() + Duration::Minutes(10));
    JobSpec spec = Spec(1);
    spec.gpus.models = large.gpus.models;
    Wait(spec);
    if (HoldsLeases(job().state)) return PendingKind::kTurn;
    const Node& node = engine_.state().nodes[0];
    const bool is_full = std::ranges::none_of(node.gpus, [](const Gpu& gpu) { return gpu.leases.empty(); });
    return is_full ? PendingKind::kCapacity : PendingKind::kReserved;
  }

  Rng rng_;
  Engine engine_;
  JobId job_;
};

struct Score {
  int waiting = 0;
  int right = 0;
  int changes = 0;
  int sound = 0;
  std::map<std::string, int> kinds;
  std::map<std::string, int> causes;
};

// Nothing between what the job asks and what is suggested would do.
void ExpectSmallest(const Case& one, const Explanation& explained, uint64_t seed) {
  const JobSpec& asked = *one.job().spec;
  int gpus = 0;
  int nodes = 0;
  for (const Change& change : explained.changes) {
    if (change.kind == ChangeKind::kFewerGpus) gpus = change.spec->gpus.count;
    if (change.kind == ChangeKind::kFewerNodes) nodes = change.spec->nodes;
  }
  for (int fewer = asked.gpus.count - 1; fewer > gpus && fewer > 0; --fewer) {
    EXPECT_FALSE(one.StartsWith([fewer](JobSpec& spec) { spec.gpus.count = fewer; })) << "seed " << seed << ": with " << fewer << " GPUs";
  }
  for (int fewer = asked.nodes - 1; fewer > nodes && fewer > 0; --fewer) {
    EXPECT_FALSE(one.StartsWith([fewer](JobSpec& spec) { spec.nodes = fewer; })) << "seed " << seed << ": with " << fewer << " nodes";
  }
}

TEST(Explaining, TellsTheCauseAndWhatWouldHelp) {
  const char* text = std::getenv("GP_CASES");
  const uint64_t cases = text == nullptr ? 1'000 : std::strtoull(text, nullptr, 10);
  Score score;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    Case one(seed);
    const PendingKind planted = one.Plant();
    if (planted == PendingKind::kTurn) continue;
    ASSERT_EQ(one.job().state, JobState::kQueued) << "seed " << seed;
    const Explanation explained = one.Explained();
    ++score.waiting;
    ++score.causes[Name(planted)];
    ASSERT_FALSE(explained.reasons.empty()) << "seed " << seed;
    const bool right = explained.reasons.front().kind == planted;
    score.right += right ? 1 : 0;
    if (!right) std::printf("seed %lu: %s was planted, told: %s\n", seed, Name(planted), explained.reasons.front().text.c_str());
    for (const Change& change : explained.changes) {
      ++score.changes;
      ++score.kinds[Name(change.kind)];
      const bool starts = one.StartsWith(change);
      score.sound += starts ? 1 : 0;
      if (!starts) std::printf("seed %lu: does not start it: %s\n", seed, change.text.c_str());
    }
    ExpectSmallest(one, explained, seed);
  }
  std::printf("%d waiting jobs, top reason right %d; %d changes, %d start the job;", score.waiting, score.right, score.changes, score.sound);
  for (const auto& [kind, count] : score.kinds) std::printf(" %s %d", kind.c_str(), count);
  std::printf("\ncauses:");
  for (const auto& [cause, count] : score.causes) std::printf(" %s %d", cause.c_str(), count);
  std::printf("\n");
  EXPECT_EQ(score.causes.size(), 7u);
  EXPECT_GE(score.right * 100, score.waiting * 99);
  EXPECT_GE(score.sound * 100, score.changes * 95);
  EXPECT_GE(score.kinds.size(), 9u) << "kinds of changes";
}

// Who has reserved memory alone keeps others off the GPU, and is named.
TEST(Explaining, WhoHoldsMemoryAloneIsAHolder) {
  Engine engine;
  engine.AdvanceTo(Instant{1'700'000'000'000'000'000});
  engine.AddNode(PlainNode(0, 1));
  JobSpec spec;
  spec.command = {"run"};
  spec.gpus.isolation = Isolation::kTimeslice;
  spec.gpus.memory_mib = engine.state().nodes[0].facts->gpus[0].memory_mib / 4;
  const JobId holder = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ben", 1001, 1001});
  engine.Pass();
  engine.Start(holder);
  spec.gpus = {};
  const JobId job = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  engine.Pass();
  const Explanation explained = Explain(engine.state(), engine.now(), *engine.state().FindJob(job));
  ASSERT_EQ(explained.holders.size(), 1u);
  EXPECT_EQ(explained.holders[0].user, "ben");
  EXPECT_NEAR(static_cast<double>(explained.holders[0].share), 250, 1);
}

// A pass is due: what fits already is not told to wait for anybody, and an idle cluster is no trap.
TEST(Explaining, OfAGangBeforeThePassThatIsDue) {
  Engine engine;
  engine.AdvanceTo(Instant{1'700'000'000'000'000'000});
  engine.AddNode(PlainNode(0, 8));
  engine.AddNode(PlainNode(1, 8));
  JobSpec spec;
  spec.command = {"run"};
  spec.gpus.count = 8;
  spec.nodes = 2;
  (void)engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  const JobId second = *engine.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  const Explanation explained = Explain(engine.state(), engine.now(), *engine.state().FindJob(second));
  EXPECT_FALSE(explained.place.has_value());
  for (const Change& change : explained.changes) EXPECT_NE(change.kind, ChangeKind::kWait) << change.text;
}

}  // namespace
}  // namespace gp
