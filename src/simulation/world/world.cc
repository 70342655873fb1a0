#include "simulation/world/world.h"

#include <memory>
#include <vector>

#include "application/control/recover.h"
#include "base/assert_handler.h"
#include "base/ignore_result.h"
#include "simulation/world/controllers/log_witness.h"
#include "simulation/world/healing.h"

namespace gp {
namespace {

constexpr Duration kSettleMax = Duration::Minutes(240);
constexpr uint64_t kStepsMax = 20'000'000;

[[noreturn]] void ThrowBrokenRule(const char* condition, const char* rule, const char*, int) {
  throw BrokenRule{std::string(rule) + ": " + condition};
}

class World {
 public:
  World(const WorldPlan& plan, const WorldPart& part);
  WorldReport Run();

 private:
  void Play();
  void Settle();
  void CheckEnd();
  bool StepUntil(Instant until);
  void MakeQueue();
  bool HaveStandbysAll();
  void CheckStandbys();
  void CheckTrim();
  void Refuse(ControllerHost& host, const std::string& why);
  std::vector<std::unique_ptr<AgentHost>> MakeHosts();
  std::vector<std::unique_ptr<ControllerHost>> MakeControllers();

  const WorldPlan& plan_;
  const WorldPart& part_;
  const std::vector<size_t> jobs_;
  Rng rng_;
  Timeline timeline_;
  Findings findings_;
  Network network_;
  Programs programs_;
  Savings savings_;
  LedgerWatch watch_;
  LogWitness witness_;
  std::unique_ptr<VirtualQuorumStore> store_;  // nullptr: there is one controller
  ControllerHosts controllers_;
  std::vector<std::unique_ptr<AgentHost>> hosts_;
  Clients clients_;
  Mishaps mishaps_;
  Healing healing_;
};

ControlOptions OptionsOf(const WorldPlan& plan) {
  ControlOptions options;
  options.policy = plan.policy;
  options.records_per_snapshot = plan.records_per_snapshot;
  options.by_hand = true;
  options.end_process = [] { throw ControllerCrash(); };
  return options;
}

World::World(const WorldPlan& plan, const WorldPart& part)
    : plan_(plan),
      part_(part),
      jobs_(part.jobs.begin(), part.jobs.end()),
      rng_(plan.seed ^ 0x5eed),
      network_(plan.hosts.size(), plan.controllers, plan.latency_ms_max, timeline_, rng_,
               [this](size_t host) { hosts_[host]->Wake(); }),
      programs_(timeline_, plan, findings_),
      savings_(timeline_, findings_),
      watch_(timeline_, plan, programs_, savings_, findings_),
      witness_(timeline_, watch_, findings_),
      store_(plan.controllers == 1
                 ? nullptr
                 : std::make_unique<VirtualQuorumStore>(
                       timeline_, [this](const StoreTransaction& transaction,
                                         Instant sent_at) { witness_.See(transaction, sent_at); })),
      controllers_(MakeControllers()),
      hosts_(MakeHosts()),
      clients_(timeline_, plan, controllers_, watch_, findings_, rng_),
      mishaps_({timeline_, plan, network_, controllers_, store_.get(), hosts_, programs_, watch_,
                clients_}),
      healing_({timeline_, plan, network_, controllers_, store_.get(), hosts_, programs_, watch_,
                clients_},
               mishaps_.gone()) {
  std::vector<ConnectionServer*> servers;
  for (size_t i = 0; i < controllers_.size(); ++i) servers.push_back(&controllers_.at(i));
  network_.SetServers(std::move(servers));
}

std::vector<std::unique_ptr<ControllerHost>> World::MakeControllers() {
  std::vector<std::unique_ptr<ControllerHost>> hosts;
  for (size_t i = 0; i < plan_.controllers; ++i) {
    hosts.push_back(std::make_unique<ControllerHost>(static_cast<int>(i + 1), store_.get(),
                                                     OptionsOf(plan_), timeline_, network_, watch_,
                                                     findings_, rng_));
    if (!plan_.older_runs.empty()) hosts.back()->UpgradeAfter(plan_.older_runs[i]);
    hosts.back()->WhenRefused(
        [this](ControllerHost& host, const std::string& why) { Refuse(host, why); });
  }
  return hosts;
}

// Of one that was silent for long the log does not wait.  An operator copies another's journal.
void World::Refuse(ControllerHost& host, const std::string& why) {
  if (!why.contains("was trimmed") || !witness_.WasSilent(host.machine()))
    return findings_.Break(timeline_.now(), "a standby cannot follow: " + why);
  ControllerHost* best = &host;
  for (size_t i = 0; i < controllers_.size(); ++i) {
    ControllerHost& other = controllers_.at(i);
    if (other.journal().LastSequence() > best->journal().LastSequence()) best = &other;
  }
  if (best != &host) host.journal().Replace(best->journal());
  host.Kill();
}

std::vector<std::unique_ptr<AgentHost>> World::MakeHosts() {
  std::vector<std::unique_ptr<AgentHost>> hosts;
  for (size_t i = 0; i < plan_.hosts.size(); ++i) {
    hosts.push_back(std::make_unique<AgentHost>(i, plan_.hosts[i], timeline_, network_, programs_,
                                                savings_, watch_, findings_, rng_));
  }
  return hosts;
}

void World::MakeQueue() {
  SetQueue set;
  set.name = kSecondQueue;
  set.weight = 2;
  set.guaranteed = 8;
  // It is refused while too few GPUs are there to be guaranteed.
  clients_.Insist("user:root", set, [this](const Outcome& outcome) {
    if (!outcome.status) timeline_.After(Duration::Seconds(1), [this] { MakeQueue(); });
  });
}

bool World::StepUntil(Instant until) {
  while (findings_.broken().empty() && timeline_.steps() < kStepsMax && timeline_.Step(until))
    continue;
  if (timeline_.steps() >= kStepsMax)
    findings_.Break(timeline_.now(), "the world does not come to rest");
  return findings_.broken().empty();
}

void World::Play() {
  const Instant begin = timeline_.now();
  controllers_.PowerOn();
  if (plan_.has_queues) MakeQueue();
  for (size_t i = 0; i < hosts_.size(); ++i) {
    if (!plan_.hosts[i].is_stranger) hosts_[i]->PowerOn();
  }
  for (const size_t job : part_.jobs) {
    timeline_.At(begin + plan_.jobs[job].submit_after, [this, job] { clients_.Submit(job); });
  }
  for (const size_t mishap : part_.mishaps) {
    timeline_.At(begin + plan_.mishaps[mishap].after,
                 [this, mishap] { mishaps_.Happen(plan_.mishaps[mishap], jobs_); });
  }
  IgnoreResult(StepUntil(begin + plan_.lasts), "the world has ended where it stopped");
}

void World::Settle() {
  const Instant healed_at = timeline_.now();
  healing_.Begin();
  std::string waits_for = "nothing";
  while (!waits_for.empty() && StepUntil(timeline_.now() + Duration::Seconds(5))) {
    waits_for = healing_.GoRound(CountJobs(plan_, part_));
    if (timeline_.now() - healed_at > kSettleMax)
      return findings_.Break(timeline_.now(),
                             "everything is healed, but the world still waits for " + waits_for);
  }
}

// Whether each standby has every record.
bool World::HaveStandbysAll() {
  for (size_t i = 0; i < controllers_.size(); ++i) {
    const Replica* replica = controllers_.at(i).replica();
    if (replica != nullptr && replica->applied() != witness_.records()) return false;
  }
  return true;
}

// A standby has what was written two seconds ago, and the same state once it has every record.
void World::CheckStandbys() {
  const uint64_t held = witness_.records();
  IgnoreResult(StepUntil(timeline_.now() + Duration::Seconds(2)), "the checks find it");
  const Instant until = timeline_.now() + Duration::Seconds(10);
  while (!HaveStandbysAll() && timeline_.now() < until &&
         StepUntil(timeline_.now() + Duration::Milliseconds(50)))
    continue;
  const uint64_t digest = StateDigest(witness_.state());
  for (size_t i = 0; i < controllers_.size(); ++i) {
    const Replica* replica = controllers_.at(i).replica();
    if (replica == nullptr) continue;
    if (replica->applied() < held)
      findings_.Break(timeline_.now(), "a standby does not catch up");
    else if (replica->applied() == witness_.records() && StateDigest(replica->state()) != digest)
      findings_.Break(timeline_.now(), "a standby has another state than the log");
  }
}

// What every controller has had for a while is gone, but for the records that were the newest then:
// one that was written a moment ago has made another chunk spare, which the next look will find.
void World::CheckTrim() {
  const uint64_t held = witness_.records();
  if (!StepUntil(timeline_.now() + Duration::Minutes(1))) return;
  const StoreKeys keys("world");
  const auto read = store_->Read(keys.Chunks(), SIZE_MAX);
  std::deque<ChunkPlace> chunks;
  for (const StoreEntry& entry : read->entries) {
    const uint64_t first = keys.FirstOf(entry.key);
    if (first <= held) chunks.push_back({first, entry.value.size()});
  }
  if (CountOfSpareChunks(chunks, held, held, ControllerHost::Trims()) > 0)
    findings_.Break(timeline_.now(), "the shared log is not trimmed: it begins with record " +
                                         std::to_string(chunks.front().first) + " of " +
                                         std::to_string(witness_.records()));
}

void World::CheckEnd() {
  if (store_ != nullptr) CheckTrim();
  if (store_ != nullptr) CheckStandbys();
  uint64_t digest = 0;
  IgnoreResult(controllers_.Read([&](const State& state) {
    watch_.CheckEnd(state, part_);
    digest = StateDigest(state);
  }),
               "a controller that is down shows nothing");
  bool has_late_plans = false;
  for (const size_t mishap : part_.mishaps)
    has_late_plans = has_late_plans || plan_.mishaps[mishap].kind == MishapKind::kStalePlan;
  const auto replayed = Replay(controllers_.leader().journal(), !has_late_plans, {}, kWorldFormats);
  if (!replayed)
    return findings_.Break(timeline_.now(),
                           "the journal cannot be replayed: " + replayed.error().message);
  if (replayed->digest != digest)
    findings_.Break(timeline_.now(), "the journal's replay gives another state");
  if (!replayed->differences.empty())
    findings_.Break(timeline_.now(),
                    "the journal's replay decides differently: " + replayed->differences.front());
  findings_.Note(std::to_string(digest));
}

WorldReport World::Run() {
  const Instant begin = timeline_.now();
  try {
    Play();
    if (findings_.broken().empty()) Settle();
    if (findings_.broken().empty()) CheckEnd();
  } catch (const BrokenRule& rule) {
    findings_.Break(timeline_.now(), rule.text);
  }
  return {findings_.broken(),      findings_.digest(),
          timeline_.steps(),       controllers_.leader().journal().LastSequence(),
          programs_.starts(),      controllers_.crashes(),
          timeline_.now() - begin, programs_.cut()};
}

}  // namespace

WorldReport RunWorld(const WorldPlan& plan, const WorldPart& part) {
  SetAssertHandler(ThrowBrokenRule);
  const WorldReport report = World(plan, part).Run();
  SetAssertHandler(nullptr);
  return report;
}

}  // namespace gp
