#include "tests/property/sequence.h"

#include <algorithm>

#include "tests/property/cast.h"
#include "tests/support/plain_plan.h"
#include "tests/support/test_cluster.h"

namespace gp {

Sequence::Sequence(uint64_t seed) : rng_(seed), world_(rng_, policy_) {
  policy_.faults_max = rng_.Between(2, 16);
  policy_.reserve_after = Duration::Seconds(rng_.Between(5, 120));
  if (rng_.Chance(1, 4)) policy_.jobs_kept = rng_.Between(0, 4);
  if (rng_.Chance(1, 6)) policy_.jobs_kept_for = Duration::Seconds(rng_.Between(1, 200));
  SetUnderUse();
  shares_time_ = rng_.Chance(1, 3);
  policy_.min_run = Duration::Seconds(rng_.Between(0, 4));
  has_queues_ = rng_.Chance(1, 3);
  policy_.reclaim_grace = Duration::Seconds(rng_.Between(0, 4));
  policy_.share_half_life = Duration::Seconds(rng_.Between(1, 1'000));
  policy_.share_horizon = Duration::Seconds(rng_.Between(0, 100));
  policy_.usage_period = Duration::Seconds(rng_.Between(1, 1'000));
  policy_.age_after = Duration::Seconds(rng_.Between(0, 100));
  policy_.class_floor = rng_.Between(0, 60);
  policy_.move_interval = Duration::Seconds(rng_.Between(0, 20));
  policy_.moves_per_hour = rng_.Between(0, 20);
  machines_max_ = rng_.Chance(1, 40) ? rng_.Between(5, 20) : rng_.Between(1, 4);
  has_faults_ = rng_.Chance(1, 3);
  WeighPlaces();
  SetPrices();
  policy_.faults = TestPolicy().faults;
  policy_.faults.recovery_hold = Duration::Seconds(rng_.Between(0, 60));
  policy_.faults.resets_per_day = rng_.Between(0, 3);
  policy_.faults.breaker_percent = rng_.Between(5, 100);
  policy_.faults.breaker_gpus_min = rng_.Between(0, 3);
  policy_.faults.breaker_nodes_min = rng_.Between(0, 2);
  policy_.faults.suspect_users = rng_.Between(1, 3);
  policy_.faults.suspect_errors = rng_.Between(1, 3);
  policy_.faults.suspect_factor = rng_.Between(0, 10);
  changes_hardware_ = rng_.Chance(1, 3);
  Tell(StartController{policy_});
  for (int i = rng_.Between(1, machines_max_); i > 0; --i) AddMachine();
}

void Sequence::WeighPlaces() {
  const auto weight = [this] { return rng_.Chance(1, 3) ? rng_.Between(1, 10) : 0; };
  policy_.placement.clear();
  for (const char* pool : {kEveryPool, "default"}) {
    if (rng_.Chance(1, 3))
      policy_.placement[pool] = {weight(), weight(), weight(), weight(), weight(), weight()};
  }
}

void Sequence::SetUnderUse() {
  for (UnderUseRule* rule : {&policy_.under_use.high, &policy_.under_use.medium,
                             &policy_.under_use.low, &policy_.under_use.interactive}) {
    *rule = {rng_.Between(0, 60), Duration::Seconds(rng_.Between(0, 60)),
             Duration::Seconds(rng_.Chance(1, 2) ? 0 : rng_.Between(1, 120))};
  }
}

void Sequence::SetPrices() {
  policy_.prices.rules.clear();
  policy_.prices.micros_per_kwh = rng_.Between(0, 1'000'000);
  for (int i = rng_.Between(0, 2); i > 0; --i) {
    PriceRule rule;
    if (rng_.Chance(1, 3)) rule.pool = "dev";
    if (rng_.Chance(1, 3)) {
      rule.label_name = "zone";
      rule.label_value = "a";
    }
    rule.per_gpu_hour.micros = rng_.Between(0, 100'000'000);
    rule.watts = rng_.Between(0, 2'000);
    policy_.prices.rules.push_back(rule);
  }
}

void Sequence::AddMachine() {
  const int index = static_cast<int>(machines_.size());
  auto facts = std::make_shared<const NodeFacts>(RandomFacts(rng_, index));
  const int gpus = static_cast<int>(facts->gpus.size());
  machines_.emplace_back(VirtualAgent(facts, world_));
  machines_.back().original = facts;
  for (int i = 0; i < gpus; ++i) machines_.back().gpus.push_back({i, true, false, ""});
}

std::string Sequence::AnyRequest() {
  return rng_.Chance(1, 8) ? std::to_string(rng_.Below(3)) : "";
}

JobId Sequence::AnyQueuedJob() {
  const std::set<JobId>& queued = ledger_.state().jobs.queued;
  if (queued.empty()) return AnyJob();
  return *std::next(queued.begin(), static_cast<ptrdiff_t>(rng_.Below(queued.size())));
}

JobId Sequence::AnyJob() { return {1 + rng_.Below(ledger_.state().jobs.last + 1)}; }

std::string Sequence::Run() {
  RunSteps();
  Settle();
  CheckEnd();
  return !world_.broken().empty() ? "world: " + world_.broken() : ledger_.broken();
}

void Sequence::RunSteps() {
  const int wanted = kStepsMin + static_cast<int>(rng_.Below(40));
  for (int tries = 0; steps_ < wanted && tries < 20 * wanted; ++tries) {
    PassTime();
    if (Step()) ++steps_;
    if (rng_.Chance(1, 32)) ledger_.CheckAll();
  }
}

void Sequence::CheckEnd() {
  ledger_.CheckAll();
  ledger_.CheckReplay();
}

void Sequence::PassTime() {
  const uint64_t dice = rng_.Below(100);
  const int milliseconds = dice < 90   ? rng_.Between(0, 200)
                           : dice < 99 ? rng_.Between(1'000, 9'000)
                                       : rng_.Between(10'000, 200'000);
  now_ = now_ + Duration::Milliseconds(milliseconds);
  world_.AdvanceTo(now_);
}

bool Sequence::Step() {
  const uint64_t dice = rng_.Below(100);
  if (has_queues_ && dice < 8) return StepOfQueues(rng_.Below(20));
  if (has_faults_ && dice < 14) return StepOfFaults();
  if (dice < 24) return StepOfPeople(rng_.Below(24));
  if (dice < 86) return StepOfAgents(rng_.Below(62));
  return StepOfTrouble(rng_.Below(16));
}

bool Sequence::StepOfPeople(uint64_t dice) {
  if (dice < 2 && shares_time_) return MoveAny();
  if (dice < 12) return Submit();
  if (dice < 14) return Tell(StopJob{AnyJob(), rng_.Chance(1, 2)}) != nullptr;
  if (dice < 15) return Tell(HoldJob{AnyJob()}, AnyRequest()) != nullptr;
  if (dice < 16)
    return Tell(ChangeTimeLimit{AnyJob(), Duration::Seconds(rng_.Between(1, 300)),
                                Duration::Seconds(rng_.Between(-100, 100) * rng_.Between(0, 1)),
                                rng_.Chance(1, 2)}) != nullptr;
  if (dice < 19) return Tell(ReleaseJob{AnyJob()}) != nullptr;
  return ChangeServiceOfAny();
}

bool Sequence::StepOfAgents(uint64_t dice) {
  if (dice < 16) return ReceiveUp(AnyMachine());
  if (dice < 32) {
    // Not among the arguments: compilers order these as they like
    const bool at_once = rng_.Chance(1, 2);
    return ReceiveDown(AnyMachine(), at_once);
  }
  if (dice < 46) return Connect(AnyMachine()) || SendReport(AnyMachine());
  if (dice < 49) return ReportAny();
  if (dice < 52) return ExitAny();
  if (dice < 55) {
    ReviewABudget();
    return !Tell(Tick{})->empty();
  }
  if (dice < 56) return CommitOldPlan();
  if (dice < 57) {
    old_plan_ = Schedule(ledger_.state(), now_).Placements();
    return !old_plan_.empty();
  }
  Pass();
  return true;
}

bool Sequence::StepOfTrouble(uint64_t dice) {
  switch (dice) {
    case 0:
    case 1:
    case 2: return Fault(AnyMachine());
    case 3: return BreakLink(AnyMachine());
    case 4: {
      Machine& machine = AnyMachine();
      machine.running = !machine.running;
      if (machine.running) machine.agent.Begin(false);
      return BreakLink(machine) || true;
    }
    case 5: return Reboot(AnyMachine(), false);
    case 6: return Reboot(AnyMachine(), true);
    case 7:
    case 8:
    case 9: return Silence(AnyMachine());
    case 10: return DeclareLost(AnyMachine());
    case 11: return RestartController();
    case 12: return rng_.Chance(1, 2) ? RepeatOldReport() : RepeatOldJoin();
    case 15: return Outage(AnyMachine());
    case 13:
      if (static_cast<int>(machines_.size()) == machines_max_) return false;
      AddMachine();
      return true;
    default: {
      Machine& machine = AnyMachine();  // a report that comes twice
      if (machine.up.empty() || machine.joining) return false;
      machine.up.insert(machine.up.begin(), machine.up.front());
      return ReceiveReport(machine);
    }
  }
}

// Other ways to be given what it needs: fewer nodes, fewer GPUs, another model.
void Sequence::AddVariants(JobSpec& spec) {
  if (spec.resources.nodes > 1 && rng_.Chance(1, 2))
    spec.resources.nodes_min = rng_.Between(1, spec.resources.nodes);
  if (spec.resources.gpus.count == 0 || !rng_.Chance(1, 6)) return;
  for (int i = rng_.Between(1, 2); i > 0; --i) {
    Alternative other{spec.resources.nodes, spec.resources.nodes_min, spec.resources.gpus,
                      spec.resources.cpus, spec.resources.memory_bytes};
    const bool is_of_one = spec.resources.gpus.isolation == Isolation::kMps ||
                           spec.resources.gpus.isolation == Isolation::kMig;
    other.gpus.count = is_of_one ? 1 : rng_.Between(1, 4);
    if (rng_.Chance(1, 3)) other.nodes = other.nodes_min = 1;
    spec.resources.any_of.push_back(std::move(other));
  }
}

bool Sequence::Submit() {
  if (ledger_.state().jobs.last >= 24) return false;
  JobSpec spec = RandomSpec(rng_, machines_max_);
  spec.policy.preemptible = shares_time_ && rng_.Chance(2, 3);
  spec.policy.movable = shares_time_ && rng_.Chance(2, 3);
  AddVariants(spec);
  if (has_queues_ && spec.resources.nodes > 1 && rng_.Chance(1, 6))
    spec.placement.topology.network_levels = rng_.Between(1, 2);
  if (has_queues_ && rng_.Chance(3, 4)) spec.policy.queue = AnyQueue();
  const auto& reservations = ledger_.state().reservations.all;
  if (!reservations.empty() && spec.policy.time_limit.ns != 0 && rng_.Chance(2, 3))
    spec.placement.reservation = reservations.begin()->first;
  if (has_queues_ && rng_.Chance(1, 8))
    spec.placement.node_labels = {{"zone", rng_.Chance(1, 2) ? "a" : "b"}};
  if (ledger_.state().jobs.last > 0 && rng_.Chance(1, 5))
    spec.policy.after.push_back({AnyJob(), static_cast<AfterKind>(rng_.Between(0, 3))});
  if (rng_.Chance(1, 8))
    spec.policy.array = {rng_.Between(1, 6), rng_.Chance(2, 3) ? rng_.Between(1, 3) : 0};
  if (rng_.Chance(1, 4)) spec.program.image = "oci:/images/train:latest";
  if (rng_.Chance(1, 3)) spec.recovery.hang_after = Duration::Seconds(60);
  if (rng_.Chance(1, 2))
    spec.recovery.checkpoint = {.directory = "/ckpt",
                                .keep = rng_.Between(1, 3),
                                .best = static_cast<BestScore>(rng_.Below(3))};
  if (rng_.Chance(1, 3))
    spec.recovery.on_log = {{"a", LogAction::kStopRetries}, {"b", LogAction::kExcludeNode}};
  const bool may_be_refused = !spec.placement.reservation.empty() || !spec.policy.after.empty();
  if (Tell(SubmitJob{std::make_shared<const JobSpec>(std::move(spec)), RandomUser(rng_)},
           AnyRequest()) == nullptr) {
    const bool is_spent =
        ledger_.last_refusal().starts_with("budget: ") && !ledger_.state().queues.budgets.empty();
    const bool is_small = ledger_.last_refusal().starts_with("gpus: a job of queue ");
    const bool never = ledger_.last_refusal().find("can never start") != std::string::npos ||
                       may_be_refused || is_spent || is_small;
    if (!never) ledger_.Break("a legal job was refused: " + ledger_.last_refusal());
  }
  return true;
}

bool Sequence::ChangeServiceOfAny() {
  const Machine& machine = AnyMachine();
  if (!machine.agent.node()) return false;
  ChangeService change{*machine.agent.node(), -1, ServiceAction::kOnline, rng_.Chance(1, 2),
                       "test"};
  if (!machine.gpus.empty() && rng_.Chance(2, 3))
    change.gpu = machine.gpus[rng_.Below(machine.gpus.size())].gpu;
  if (rng_.Chance(1, 2))
    change.action = rng_.Chance(1, 2) ? ServiceAction::kDrain : ServiceAction::kOffline;
  if (change.action == ServiceAction::kDrain && rng_.Chance(1, 2))
    change.deadline = Duration::Seconds(rng_.Between(1, 120));
  return Tell(std::move(change)) != nullptr;
}

bool Sequence::ExitAny() {
  if (world_.alive().empty()) return false;
  const LeaseId lease = world_.alive()[rng_.Below(world_.alive().size())];
  const int code = rng_.Chance(2, 3) ? 0 : 1;
  LogClues clues;
  if (code != 0 && rng_.Chance(1, 3)) clues.rules = {rng_.Between(0, 1)};
  clues.communication = code != 0 && rng_.Chance(1, 4);
  world_.Exit(now_, lease, code, clues);
  return true;
}

// A program says how far it is, or says no more.
bool Sequence::ReportAny() {
  if (world_.alive().empty()) return false;
  const LeaseId lease = world_.alive()[rng_.Below(world_.alive().size())];
  if (rng_.Chance(1, 8)) {
    world_.Hang(lease);
  } else if (rng_.Chance(1, 4)) {
    world_.CountFromZero(now_, lease);
  } else {
    world_.SaveCheckpoint(now_, lease);
  }
  return true;
}

bool Sequence::Silence(Machine& machine) {
  if (!machine.agent.node() || now_ - machine.heard <= ledger_.state().policy.lease_time)
    return false;
  if (ledger_.state().FindNode(*machine.agent.node())->condition == NodeCondition::kLost)
    return false;
  return Tell(ExpireHeartbeat{*machine.agent.node()}) != nullptr;
}

// The person who says so has pulled the plug.
bool Sequence::DeclareLost(Machine& machine) {
  if (!machine.agent.node()) return false;
  const bool is_lost =
      ledger_.state().FindNode(*machine.agent.node())->condition == NodeCondition::kLost;
  if (is_lost) {
    Reboot(machine, rng_.Chance(1, 2));
    machine.powered = false;
  }
  const bool accepted = Tell(DeclareNodeLost{*machine.agent.node(), "test"}) != nullptr;
  if (accepted != is_lost) ledger_.Break("a node that answers was declared lost");
  return accepted;
}

bool Sequence::Fault(Machine& machine) {
  if (machine.gpus.empty()) return false;
  GpuObservation& gpu = machine.gpus[rng_.Below(machine.gpus.size())];
  gpu.healthy = rng_.Chance(2, 3);
  gpu.lost = rng_.Chance(1, 5);
  gpu.findings.clear();
  static constexpr HealthCode kRead[] = {HealthCode::kLinkDown, HealthCode::kWarm,
                                         HealthCode::kUnread};
  if (rng_.Chance(1, 4)) gpu.findings.push_back({kRead[rng_.Below(3)], 1, 2});
  return true;
}

const std::vector<Event>* Sequence::Tell(Command command, std::string request_id) {
  const std::vector<Event>* events =
      ledger_.Execute(now_, std::move(command), std::move(request_id));
  if (events == nullptr || events->empty()) return events;
  SendOrders(*events);
  CheckTale(*events);
  return events;
}

// A planner that is behind: each placement still fits, or is refused.
bool Sequence::CommitOldPlan() {
  if (old_plan_.empty()) return false;
  for (PlaceGang& placement : old_plan_) Tell(std::move(placement));
  old_plan_.clear();
  return true;
}

// The comparison costs much: it is made every few passes.
void Sequence::ComparePlan(const Plan& plan) {
  if (++passes_ % 8 != 0) return;
  // The plain way knows neither interruptions (a budget that is used up brings them about, too),
  // nor nominated nodes, which outlive the last victim, nor who comes first after a fault.
  const bool may_interrupt = std::ranges::any_of(ledger_.state().jobs.all, [](const auto& one) {
    return !IsTerminal(one.second.state) && one.second.spec->policy.preemptible;
  });
  const JobStore& jobs = ledger_.state().jobs;
  const bool is_plain =
      !shares_time_ && !may_interrupt && jobs.nominated.empty() && jobs.recovering.empty();
  const Plan other = is_plain ? PlainPlan(ledger_.state(), now_) : Schedule(ledger_.state(), now_);
  if (plan.steps != other.steps || plan.backfill != other.backfill)
    ledger_.Break("what the planner remembers makes a difference");
}

void Sequence::Pass() {
  Plan plan = planner_.Schedule(ledger_.state(), now_);
  look_again_at_ = plan.look_again_at;
  ComparePlan(plan);
  const auto commit = [this](Command command) {
    if (Tell(std::move(command)) == nullptr)
      ledger_.Break("a plan was refused: " + ledger_.last_refusal());
  };
  for (const Plan::Step& step : plan.steps) commit(ToCommand(step));
}

}  // namespace gp
