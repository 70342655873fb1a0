#include "simulation/world/agent_host.h"

#include <algorithm>
#include <utility>

#include "domain/model/nodes/features.h"

namespace gp {
namespace {

constexpr int kReportBits = 30;

}  // namespace

AgentHost::AgentHost(size_t index, const HostPlan& plan, Timeline& timeline, Network& network,
                     Programs& programs, Savings& savings, LedgerWatch& watch, Findings& findings,
                     Rng& rng)
    : index_(index),
      plan_(plan),
      timeline_(timeline),
      network_(network),
      programs_(programs),
      savings_(savings),
      watch_(watch),
      findings_(findings),
      rng_(rng),
      clock_(timeline, plan.drift_ppm),
      hardware_(plan, timeline),
      attempts_(index, hardware_, timeline, clock_, programs, savings, rng, [this] { Wake(); }),
      instances_(index, plan, timeline, programs, findings) {
  attempts_.OnProgramXid([this](int gpu, LeaseId lease, int xid) { RaiseXid(gpu, xid, lease); });
}

void AgentHost::PowerOn() {
  if (has_power_) return;
  has_power_ = true;
  clock_.Boot();
  StartAgent();
}

void AgentHost::PowerOff(bool wiped) {
  KillAgent();
  has_power_ = false;
  attempts_.PowerOff(wiped);
  hardware_.PowerCycle();
  for (size_t gpu = 0; gpu < hardware_.size(); ++gpu) {
    instances_.Clear(static_cast<int>(gpu));
    watch_.WasReset(index_, static_cast<int>(gpu));
  }
  asleep_until_ = {};
  if (!wiped) return;
  is_fresh_ = true;
  followed_ = {};
}

VirtualGpuCare::Surroundings AgentHost::CareSurroundings() {
  VirtualGpuCare::Surroundings surroundings;
  surroundings.check_idle = [this](int card, const char* what) {
    for (const LeaseId lease : programs_.AliveOn(index_, card)) {
      findings_.Break(timeline_.now(), "GPU " + std::to_string(card) + " of " + name() + " is " +
                                           what + " while " + ToText(lease) + " uses it");
    }
  };
  surroundings.sound = [this](int card, GpuCareKind kind) {
    kind == GpuCareKind::kReset ? watch_.WasReset(index_, card) : watch_.WasTested(index_, card);
    if (kind == GpuCareKind::kReset) instances_.Clear(card);
    findings_.Note((kind == GpuCareKind::kReset ? "reset " : "test ") + name() +
                   std::to_string(card));
  };
  surroundings.changed = [this] { Wake(); };
  return surroundings;
}

GpuKeeperOptions AgentHost::KeeperOptions() {
  GpuKeeperOptions options;
  options.first_number = (incarnation_ << kReportBits) + 1;
  options.heat_limits.assign(hardware_.listed().size(), kHeatLimits);
  options.lease_in = [this](int gpu, int instance) {
    const MigRunner* runner = agent_ == nullptr ? nullptr : agent_->runner.get();
    return runner == nullptr ? LeaseId{}
                             : ParseLeaseKey(runner->AttemptIn(gpu, instance)).value_or(LeaseId{});
  };
  if (plan_.has_kernel_log) {
    options.take_kernel_xids = [this] {
      std::vector<SeenXid> lines = hardware_.TakeLines();
      for (const SeenXid& line : lines)
        watch_.WasTold(index_, hardware_.CardAt(line.gpu), line.xid);
      return lines;
    };
  }
  return options;
}

AgentOptions AgentHost::LoopOptions() {
  AgentOptions options;
  options.facts = hardware_.Facts();
  options.incarnation = incarnation_;
  options.fresh = is_fresh_;
  options.held_images = [this] {
    return agent_->images == nullptr ? std::vector<HeldImage>{} : agent_->images->Held();
  };
  options.followed = followed_;
  options.keep_followed = [this](const ControllerEpoch& followed) {
    followed_ = followed;
    return Ok();
  };
  options.launch.state_directory = "/s";
  options.launch.resolve_user = [](const User& user) {
    return HostUser{user.name, user.uid, user.gid, {}, "/", ""};
  };
  return options;
}

void AgentHost::StartAgent() {
  if (!has_power_ || agent_ != nullptr) return;
  ++incarnation_;
  hardware_.DropEvents();
  agent_.reset(new Agent{
      VirtualLink(index_, network_, followed_),
      VirtualGpuWatch(hardware_, [this](int card, int xid) { watch_.WasTold(index_, card, xid); }),
      VirtualGpuCare(hardware_, timeline_, rng_, CareSurroundings()), nullptr, nullptr, nullptr,
      nullptr, nullptr, nullptr, nullptr});
  AttemptRunner& runner = MakeRunners();
  agent_->keeper =
      std::make_unique<GpuKeeper>(KeeperOptions(), agent_->watch, agent_->care, clock_);
  agent_->port_blocks = std::make_unique<VirtualPortBlocks>(
      rng_, [this](int first_port) { return programs_.IsPortUsed(index_, first_port); });
  AgentOptions options = LoopOptions();
  options.port_blocks = agent_->port_blocks.get();
  agent_->loop = std::make_unique<AgentLoop>(std::move(options), agent_->link, runner, logs_,
                                             agent_->keeper.get(), clock_);
  is_fresh_ = false;  // the incarnation is on the disk now
  turn_at_ = {};
  TurnAt(timeline_.now());
}

AttemptRunner& AgentHost::MakeRunners() {
  AttemptRunner* runner = &attempts_;
  if (const std::vector<int> divided = plan_.facts->DividedGpus(); !divided.empty()) {
    agent_->mig = std::make_unique<VirtualMig>(instances_, timeline_, rng_, [this] { Wake(); });
    agent_->runner = std::make_unique<MigRunner>(divided, *agent_->mig, *runner);
    runner = agent_->runner.get();
  }
  if (plan_.facts->features.contains(kImageLayersFeature)) {
    agent_->images = std::make_unique<VirtualImages>(timeline_, rng_, [this] { Wake(); });
    agent_->data = std::make_unique<VirtualData>(timeline_, savings_, rng_, [this] { Wake(); });
    agent_->staging = std::make_unique<StagingRunner>(*agent_->images, *agent_->data, *runner);
    agent_->copying = std::make_unique<CopyingRunner>(*agent_->data, *agent_->staging, clock_);
    runner = agent_->copying.get();
  }
  return *runner;
}

void AgentHost::KillAgent() {
  agent_.reset();
  watch_.AgentEnded(index_);
}

void AgentHost::Wake() {
  TurnAt(timeline_.now() + Duration::Nanoseconds(static_cast<int64_t>(rng_.Below(200'000))));
}

void AgentHost::TurnAt(Instant at) {
  if (agent_ == nullptr) return;
  at = std::max(at, asleep_until_);
  if (turn_at_.ns != 0 && turn_at_ <= at) return;
  turn_at_ = at;
  timeline_.At(at, [this, at] {
    if (turn_at_ == at && agent_ != nullptr) Turn();
  });
}

void AgentHost::Turn() {
  turn_at_ = {};
  if (!is_awake()) return TurnAt(asleep_until_);
  agent_->loop->Turn();
  TurnAt(timeline_.now() + agent_->loop->UntilNextTurn() + Duration::Nanoseconds(100'000));
}

bool AgentHost::IsByMps(LeaseId lease) const {
  const Program* program = programs_.Find(lease);
  return program != nullptr &&
         programs_.PlanOf(*program).spec->resources.gpus.isolation == Isolation::kMps;
}

void AgentHost::RaiseXid(int card, int xid, LeaseId lease) {
  if (!CanFail(card)) return;
  const Program* program = programs_.Find(lease);
  const bool has_instance = program != nullptr && program->mig.slices > 0;
  hardware_.Raise(card, xid, lease,
                  has_instance ? std::optional(program->mig.instance) : std::nullopt,
                  IsFatalXid(xid));
  if (!IsFatalXid(xid) && IsByMps(lease)) HitPrograms(card);  // other clients of its MPS server
  if (IsFatalXid(xid)) {
    watch_.Failed(index_, card);
    HitPrograms(card);
  }
  Wake();
}

void AgentHost::LoseGpu(int card) {
  if (!CanFail(card)) return;
  if (rng_.Chance(1, 2)) RaiseXid(card, 79, {});
  hardware_.At(card).is_lost = true;
  HitPrograms(card);
  Wake();
}

bool AgentHost::UnlistGpu(int card) {
  if (!CanFail(card) || !plan_.facts->DividedGpus().empty() || hardware_.listed().size() == 1)
    return false;
  KillAgent();
  hardware_.Unlist(card);
  hardware_.At(card).is_lost = true;
  HitPrograms(card);
  return true;
}

// Some programs die within moments, the others wait forever for an answer.
void AgentHost::HitPrograms(int card) {
  for (const LeaseId lease : programs_.AliveOn(index_, card)) {
    if (rng_.Chance(1, 3)) continue;
    timeline_.After(Duration::Milliseconds(rng_.Between(0, 2'000)),
                    [this, lease] { attempts_.KillProgram(lease, EndCause::kExit, 6); });
  }
}

void AgentHost::BlindGpu(int card, Duration lasts) {
  GpuDamage& damage = hardware_.At(card);
  damage.blind_since = timeline_.now();
  damage.blind_until = timeline_.now() + lasts;
  timeline_.At(damage.blind_until, [this, card, until = damage.blind_until] {
    if (hardware_.At(card).blind_until == until) hardware_.At(card).blind_since = {};
    Wake();
  });
}

void AgentHost::HeatGpu(int card, Warmth warmth, Duration lasts) {
  GpuDamage& damage = hardware_.At(card);
  damage.warmth = warmth;
  damage.warm_until = timeline_.now() + lasts;
  timeline_.At(damage.warm_until, [this, card, until = damage.warm_until] {
    if (hardware_.At(card).warm_until == until) hardware_.At(card).warmth = Warmth::kCool;
    Wake();
  });
}

void AgentHost::Repair(int card) {
  hardware_.At(card) = {};
  watch_.WasReset(index_, card);
  Wake();
}

}  // namespace gp
