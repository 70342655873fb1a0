#include "simulation/world/world_plan.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/rng.h"
#include "domain/model/nodes/features.h"
#include "simulation/world/ports/virtual_data.h"

namespace gp {
namespace {

constexpr int kGpusPerHost = 4;
constexpr int kMishapSeconds = 240;
constexpr int kDividedHost = 7;  // an A100 host; there is another one

struct KindWeight {
  MishapKind kind;
  const char* name;
  int weight;
  int seconds_max;  // its longest duration
};

constexpr std::array<KindWeight, kMishapKinds> kKinds = {{
    {MishapKind::kControllerCrash, "controller-crash", 8, 20},
    {MishapKind::kControllerSleeps, "controller-sleeps", 2, 25},
    {MishapKind::kControllerClock, "controller-clock", 1, 0},
    {MishapKind::kAgentCrash, "agent-crash", 8, 30},
    {MishapKind::kAgentSleeps, "agent-sleeps", 3, 40},
    {MishapKind::kHostReboots, "host-reboots", 4, 60},
    {MishapKind::kHostWiped, "host-wiped", 2, 60},
    {MishapKind::kHostGone, "host-gone", 1, 0},
    {MishapKind::kGpuGone, "gpu-gone", 4, 30},
    {MishapKind::kGpuExchanged, "gpu-exchanged", 3, 40},
    {MishapKind::kGpusReordered, "gpus-reordered", 2, 40},
    {MishapKind::kNameTaken, "name-taken", 3, 60},
    {MishapKind::kHostClock, "host-clock", 2, 0},
    {MishapKind::kPartition, "partition", 6, 60},
    {MishapKind::kDeaf, "deaf", 3, 40},
    {MishapKind::kMute, "mute", 3, 40},
    {MishapKind::kLinkBreaks, "link-breaks", 6, 0},
    {MishapKind::kSlowLink, "slow-link", 3, 30},
    {MishapKind::kStrayController, "stray-controller", 3, 40},
    {MishapKind::kDoubledMessages, "doubled-messages", 2, 30},
    {MishapKind::kSupervisorKilled, "supervisor-killed", 4, 0},
    {MishapKind::kStartsFail, "starts-fail", 2, 10},
    {MishapKind::kProgramKilled, "program-killed", 4, 0},
    {MishapKind::kProgramXid, "program-xid", 6, 0},
    {MishapKind::kXidFlood, "xid-flood", 2, 3},
    {MishapKind::kFatalXid, "fatal-xid", 8, 0},
    {MishapKind::kFatalBurst, "fatal-burst", 3, 0},
    {MishapKind::kGpuLost, "gpu-lost", 3, 0},
    {MishapKind::kGpuBroken, "gpu-broken", 2, 0},
    {MishapKind::kResetsFail, "resets-fail", 2, 0},
    {MishapKind::kAdviceOnly, "advice-only", 2, 0},
    {MishapKind::kBlind, "blind", 3, 40},
    {MishapKind::kHeat, "heat", 4, 90},
    {MishapKind::kDrain, "drain", 4, 0},
    {MishapKind::kOffline, "offline", 2, 0},
    {MishapKind::kReset, "reset", 3, 0},
    {MishapKind::kOnline, "online", 5, 0},
    {MishapKind::kCancel, "cancel", 8, 0},
    {MishapKind::kHold, "hold", 5, 30},
    {MishapKind::kPriority, "priority", 4, 0},
    {MishapKind::kStalePlan, "stale-plan", 5, 0},
    {MishapKind::kIncidentClosed, "incident-closed", 3, 0},
    {MishapKind::kReservation, "reservation", 4, 60},
    {MishapKind::kMoves, "moves", 8, 0},
    {MishapKind::kStoreCut, "store-cut", 6, 25},
    {MishapKind::kStoreShaky, "store-shaky", 6, 40},
    {MishapKind::kLeasesEnd, "leases-end", 4, 0},
    {MishapKind::kLeasesStretch, "leases-stretch", 2, 20},
    {MishapKind::kStepDown, "step-down", 4, 0},
    {MishapKind::kControllerCutOff, "controller-cut-off", 3, 30},
}};
// Those that every world may have come first.
constexpr size_t kCommonKinds = static_cast<size_t>(MishapKind::kStoreCut);

Duration Between(Rng& rng, int low_ms, int high_ms) {
  return Duration::Milliseconds(rng.Between(low_ms, high_ms));
}

// The profiles of an A100 with 80 GB, from NVIDIA's MIG user guide.
MigTable DividedA100() {
  MigTable table{7, 8, {}};
  table.profiles = {
      {0, "7g.80gb", 7, 8, 79'872, 0b1},         {5, "4g.40gb", 4, 4, 40'192, 0b1},
      {9, "3g.40gb", 3, 4, 40'192, 0b1'0001},    {14, "2g.20gb", 2, 2, 19'968, 0b1'0101},
      {15, "1g.20gb", 1, 2, 19'968, 0b101'0101}, {19, "1g.10gb", 1, 1, 9'728, 0b111'1111},
  };
  return table;
}

// `owner`: the name of the machine, used in the UUIDs of its GPUs.
HostPlan DrawHost(Rng& rng, int index, bool is_divided, const std::string& owner) {
  const int gpus = kGpusPerHost + (is_divided ? 0 : 1);
  auto facts = std::make_shared<NodeFacts>();
  facts->name = "n" + std::to_string(index);
  facts->simulated = rng.Chance(1, 2);
  for (int i = 0; i < 2; ++i) {
    NumaFacts numa;
    numa.os_id = numa.package = i;
    numa.cpus.AddRange(i * 8, i * 8 + 7);
    numa.memory_mib = 256 * 1024;
    facts->numa.push_back(numa);
  }
  for (int i = 0; i < gpus; ++i) {
    GpuFacts gpu;
    gpu.uuid = "GPU-" + owner + "-" + std::to_string(i);
    gpu.model = index % 4 == 3 ? "A100" : "H100";
    gpu.numa = i % kGpusPerHost / 2;
    gpu.memory_mib = 80'000;
    gpu.mps = !is_divided;
    if (is_divided) gpu.mig = DividedA100();
    facts->gpus.push_back(gpu);
  }
  const size_t count = facts->gpus.size();
  facts->links.assign(count * count, 6);
  for (size_t i = 0; i < count; ++i) facts->links[i * count + i] = 0;
  HostPlan plan;
  plan.facts = std::move(facts);
  plan.spares = count - kGpusPerHost;
  plan.drift_ppm = rng.Between(-200, 200);
  plan.has_kernel_log = rng.Chance(1, 2);
  plan.tells_advice = rng.Chance(3, 4);
  return plan;
}

Policy DrawPolicy(Rng& rng, Policy policy) {
  policy.lease_time = Duration::Seconds(rng.Between(4, 12));
  policy.reserve_after = Duration::Seconds(rng.Between(20, 120));
  policy.min_run = Duration::Seconds(rng.Between(0, 20));
  policy.reclaim_grace = Duration::Seconds(rng.Between(0, 20));
  policy.age_after = Duration::Seconds(rng.Between(30, 600));
  policy.class_floor = rng.Between(0, 30);
  policy.faults_max = 64;
  policy.move_cost = Duration::Seconds(rng.Between(0, 5));
  policy.move_interval = Duration::Seconds(rng.Between(0, 60));
  policy.moves_per_hour = rng.Between(1, 60);
  policy.faults.resets_per_day = rng.Between(0, 4);
  policy.faults.breaker_percent = rng.Chance(1, 4) ? 20 : 60;
  policy.faults.recovery_hold = Duration::Seconds(rng.Between(0, 60));
  policy.faults.suspect_users = rng.Between(2, 3);
  policy.faults.suspect_errors = rng.Between(2, 4);
  policy.faults.suspect_factor = rng.Between(0, 4);
  policy.faults.breaker_window = Duration::Seconds(rng.Between(30, 300));
  return policy;
}

// Requests a part of one GPU, with a random kind of isolation.
void DrawShare(Rng& rng, JobSpec& spec, bool has_divided) {
  const int dice = rng.Between(0, has_divided ? 5 : 3);
  spec.resources.gpus.isolation = dice > 3   ? Isolation::kMig
                                  : dice > 1 ? Isolation::kMps
                                             : Isolation::kTimeslice;
  spec.resources.gpus.share_thousandths = spec.resources.gpus.isolation == Isolation::kMig
                                              ? 140 * rng.Between(1, 3)
                                              : 250 * rng.Between(1, 2);
}

void DrawNeeds(Rng& rng, JobSpec& spec, bool has_divided) {
  spec.resources.gpus.count = rng.Chance(1, 12)  ? 0
                              : rng.Chance(1, 2) ? 1
                                                 : rng.Between(2, kGpusPerHost);
  if (rng.Chance(1, 3)) spec.resources.nodes = rng.Between(2, 3);
  if (spec.resources.nodes == 1 && spec.resources.gpus.count == 1 && rng.Chance(1, 2))
    DrawShare(rng, spec, has_divided);
  if (rng.Chance(1, 5)) spec.resources.cpus = rng.Between(1, 8);
  if (spec.resources.gpus.count > 0 && spec.resources.gpus.isolation != Isolation::kMig &&
      rng.Chance(1, 8))
    spec.resources.gpus.models = {rng.Chance(1, 4) && spec.resources.nodes == 1 ? "A100" : "H100"};
  if (spec.resources.gpus.count > 1 && rng.Chance(1, 6))
    spec.placement.topology.require = TopologyLevel::kNvlink;
}

JobPlan DrawJob(Rng& rng, size_t index, bool has_queues, bool has_divided) {
  static constexpr std::array kUsers = {"ana", "ben", "eva"};
  static constexpr std::array kXids = {13, 31, 43, 68};
  JobPlan plan;
  JobSpec spec;
  spec.program.command = {"train", std::to_string(index)};
  DrawNeeds(rng, spec, has_divided);
  if (rng.Chance(1, 15)) spec.policy.array = {rng.Between(2, 6), rng.Between(0, 3)};
  spec.policy.movable = rng.Chance(1, 2);
  spec.policy.priority = 250 * rng.Between(1, 3);
  spec.policy.preemptible = rng.Chance(1, 3);
  spec.policy.grace = Duration::Seconds(rng.Between(0, 12));
  spec.recovery.on_lease_loss = static_cast<LeaseLoss>(rng.Between(0, 2));
  spec.recovery.retry.on_failure = rng.Chance(1, 3);
  spec.recovery.retry.retries_max = rng.Between(0, 3);
  spec.recovery.retry.backoff_min = Duration::Seconds(rng.Between(0, 5));
  spec.recovery.retry.backoff_max =
      spec.recovery.retry.backoff_min + Duration::Seconds(rng.Between(0, 10));
  if (has_queues && rng.Chance(1, 2)) spec.policy.queue = kSecondQueue;
  spec.program.environment["PLAN"] = std::to_string(index);
  plan.hangs = rng.Chance(1, 25);
  // A job that hangs needs a limit that ends it.
  const bool is_watched = rng.Chance(1, plan.hangs ? 2 : 10);
  if (is_watched) spec.recovery.hang_after = Duration::Seconds(rng.Between(5, 40));
  if ((plan.hangs && !is_watched) || rng.Chance(1, 8))
    spec.policy.time_limit = Duration::Seconds(rng.Between(20, 90));
  // Elements would write to the same directory
  if (spec.policy.array.count == 0 && rng.Chance(1, 2)) {
    plan.saves_every = Between(rng, 200, 5'000);
    spec.recovery.checkpoint = {.directory = "/ckpt/" + std::to_string(index),
                                .keep = rng.Between(0, 3)};
    if (spec.recovery.checkpoint.keep > 0)
      spec.recovery.checkpoint.best = static_cast<BestScore>(rng.Between(0, 2));
  }
  plan.ignores_stop = rng.Chance(1, 8);
  plan.work = Between(rng, 500, rng.Chance(1, 5) ? 60'000 : 20'000);
  if (rng.Chance(1, 4)) {
    plan.failures = rng.Between(1, 3);
    plan.exit_code = rng.Between(1, 99);
    if (rng.Chance(1, 3) && spec.resources.gpus.count > 0)
      plan.xid = kXids[rng.Below(kXids.size())];
  }
  const size_t user = rng.Below(kUsers.size());
  plan.user = {kUsers[user], static_cast<uint32_t>(1000 + user),
               static_cast<uint32_t>(1000 + user)};
  plan.submit_after = Between(rng, 0, kMishapSeconds * 900);
  plan.spec = std::make_shared<const JobSpec>(std::move(spec));
  return plan;
}

void OfferAll(WorldPlan& plan) {
  for (HostPlan& host : plan.hosts) {
    NodeFacts facts = *host.facts;
    facts.features = AllFeatures();
    host.facts = std::make_shared<const NodeFacts>(std::move(facts));
  }
}

// Jobs with an image whose tag moves, and hosts that have images.  It has a generator of its own,
// so that worlds without images are what they were.
void DrawImages(WorldPlan& plan) {
  Rng rng(plan.seed ^ 0x1a6e5);
  if (!rng.Chance(1, 3)) return;
  for (JobPlan& job : plan.jobs) {
    if (!rng.Chance(1, 2)) continue;
    JobSpec spec = *job.spec;
    spec.program.image = "oci:/images/" + std::to_string(rng.Between(1, 3)) + ":latest";
    job.spec = std::make_shared<const JobSpec>(std::move(spec));
  }
  OfferAll(plan);
}

// Jobs with data of a store, and copies of their checkpoints there.  Another generator again.
void DrawData(WorldPlan& plan) {
  Rng rng(plan.seed ^ 0xda7a);
  if (!rng.Chance(1, 3)) return;
  for (size_t i = 0; i < plan.jobs.size(); ++i) {
    if (!rng.Chance(1, 2)) continue;
    JobSpec spec = *plan.jobs[i].spec;
    if (rng.Chance(1, 2)) spec.program.stage = {{.from = "s3://data/a", .to = "/tmp/a"}};
    if (!spec.recovery.checkpoint.directory.empty())
      spec.recovery.checkpoint.copy_to = "s3://ckpt/" + std::to_string(i);
    if (rng.Chance(1, 4))
      spec.program.artifacts = {{.from = kArtifactOfWorlds, .to = "s3://out/${JOB_ID}"}};
    plan.jobs[i].spec = std::make_shared<const JobSpec>(std::move(spec));
  }
  OfferAll(plan);
}

// Most worlds have only some kinds of mishaps, so that kinds that hide each other also occur alone.
std::vector<KindWeight> DrawKinds(Rng& rng, std::span<const KindWeight> all) {
  std::vector<KindWeight> kinds;
  const bool has_all = rng.Chance(1, 4);
  for (const KindWeight& kind : all) {
    if (has_all || rng.Chance(1, 2)) kinds.push_back(kind);
  }
  return kinds;
}

std::vector<Mishap> DrawMishaps(Rng& rng, size_t hosts, std::span<const KindWeight> all) {
  const std::vector<KindWeight> kinds = DrawKinds(rng, all);
  int sum = 0;
  for (const KindWeight& kind : kinds) sum += kind.weight;
  // A lemon host and a lemon GPU have most of the faults.
  const size_t lemon = rng.Below(hosts);
  const int lemon_gpu = rng.Between(0, kGpusPerHost - 1);
  std::vector<Mishap> mishaps;
  for (int i = sum == 0 ? 0 : rng.Between(10, 60); i > 0; --i) {
    int dice = rng.Between(0, sum - 1);
    const KindWeight* kind = kinds.data();
    while (dice >= kind->weight) dice -= kind++->weight;
    Mishap mishap{kind->kind,
                  Between(rng, 5'000, kMishapSeconds * 1'000),
                  rng.Below(hosts),
                  rng.Between(0, kGpusPerHost - 1),
                  {},
                  rng.Next()};
    mishap.lasts = Between(rng, 0, 1'000 * kind->seconds_max);
    if (rng.Chance(1, 3)) mishap.host = lemon;
    if (rng.Chance(1, 3)) mishap.gpu = lemon_gpu;
    mishaps.push_back(mishap);
  }
  std::ranges::stable_sort(mishaps, {}, &Mishap::after);
  return mishaps;
}

// Several controllers crash, sleep and have wrong clocks more often than one, and lose the store
// and each other.
void DrawControllers(WorldPlan& plan, size_t controllers) {
  plan.controllers = controllers;
  if (controllers == 1) return;
  Rng rng(plan.seed ^ 0xc0117);
  std::vector<KindWeight> kinds(kKinds.begin(), kKinds.begin() + 3);
  kinds.insert(kinds.end(), kKinds.begin() + kCommonKinds, kKinds.end());
  const std::vector<Mishap> more = DrawMishaps(rng, plan.hosts.size(), kinds);
  plan.mishaps.insert(plan.mishaps.end(), more.begin(), more.end());
  std::ranges::stable_sort(plan.mishaps, {}, &Mishap::after);
  Rng releases(plan.seed ^ 0x0bde);
  if (releases.Chance(1, 2)) return;
  for (size_t i = 0; i < controllers; ++i) plan.older_runs.push_back(releases.Between(1, 3));
}

}  // namespace

const char* Name(MishapKind kind) { return kKinds[static_cast<size_t>(kind)].name; }

ProgramPlan JobPlan::Attempt(int attempt, int rank) const {
  if (attempt > failures) return {work, 0, 0, 0, hangs, ignores_stop};
  const int failing_rank = attempt % spec->resources.nodes;
  // The other ranks of the gang wait for the one that fails.
  if (rank != failing_rank) return {work, 0, 0, 0, true, ignores_stop};
  const bool is_aborted = exit_code % 4 == 0;
  return {Duration{work.ns / 2}, is_aborted ? 0 : exit_code, is_aborted ? 6 : 0, xid, false,
          ignores_stop};
}

WorldPlan DrawWorld(uint64_t seed, const Policy& base, size_t controllers) {
  Rng rng(seed);
  WorldPlan plan;
  plan.seed = seed;
  plan.policy = DrawPolicy(rng, base);
  plan.records_per_snapshot =
      rng.Chance(1, 2) ? static_cast<uint64_t>(rng.Between(20, 500)) : 1'000'000;
  plan.has_queues = rng.Chance(1, 3);
  const int hosts = rng.Between(8, 10);
  const int divided = rng.Chance(1, 2) ? kDividedHost : -1;
  for (int i = 0; i < hosts; ++i)
    plan.hosts.push_back(DrawHost(rng, i, i == divided, "n" + std::to_string(i)));
  const int jobs = rng.Between(50, 70);
  for (int i = 0; i < jobs; ++i)
    plan.jobs.push_back(DrawJob(rng, static_cast<size_t>(i), plan.has_queues, divided >= 0));
  plan.mishaps = DrawMishaps(rng, plan.hosts.size(), std::span(kKinds).first(kCommonKinds));
  plan.hosts.push_back(DrawHost(rng, rng.Between(0, hosts - 1), false, "stranger"));
  plan.hosts.back().is_stranger = true;
  plan.lasts = Duration::Seconds(kMishapSeconds + 10);
  plan.latency_ms_max = rng.Chance(1, 4) ? 200 : 5;
  if (rng.Chance(1, 4)) plan.policy.faults_max = rng.Between(2, 6);
  const auto weight = [&rng] { return rng.Chance(1, 2) ? rng.Between(1, 10) : 0; };
  if (rng.Chance(1, 4))
    plan.policy.placement[kEveryPool] = {weight(), weight(), weight(),
                                         weight(), weight(), weight()};
  DrawImages(plan);
  DrawData(plan);
  DrawControllers(plan, controllers);
  return plan;
}

size_t CountOf(const JobPlan& job) {
  return static_cast<size_t>(std::max(job.spec->policy.array.count, 1));
}

size_t CountJobs(const WorldPlan& plan, const WorldPart& part) {
  size_t count = 0;
  for (const size_t job : part.jobs) count += CountOf(plan.jobs[job]);
  return count;
}

WorldPart WholeOf(const WorldPlan& plan) {
  WorldPart part;
  for (size_t i = 0; i < plan.jobs.size(); ++i) part.jobs.insert(i);
  for (size_t i = 0; i < plan.mishaps.size(); ++i) part.mishaps.insert(i);
  return part;
}

}  // namespace gp
