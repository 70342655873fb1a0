#include "simulation/world/mishaps.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ignore_result.h"
#include "domain/defragmenting/find_moves.h"
#include "domain/scheduling/planner.h"

namespace gp {
namespace {

constexpr size_t kHostsGoneMax = 2;

// A choice of the mishap, independent of everything else.
uint64_t Choose(const Mishap& mishap, int what, uint64_t below) {
  return (mishap.dice >> (8 * what)) % below;
}

// Half of the mishaps concern all paths of a host.
PathSet PathsOf(const Mishap& mishap) {
  const uint64_t choice = Choose(mishap, 3, 4);
  return {choice != 3, choice != 2};
}

Duration StepOfClock(const Mishap& mishap) {
  static constexpr int kSeconds[] = {-36'000, -3'600, -60, -2, 2, 60, 3'600, 36'000};
  return Duration::Seconds(kSeconds[Choose(mishap, 0, std::size(kSeconds))]);
}

}  // namespace

void Mishaps::Happen(const Mishap& mishap, const std::vector<size_t>& jobs) {
  if (mishap.kind <= MishapKind::kControllerClock) return HappenToController(mishap);
  if (mishap.kind >= MishapKind::kStoreCut) return HappenToSharing(mishap);
  if (mishap.kind >= MishapKind::kDrain) return HappenByPeople(mishap, jobs);
  if (gone_.contains(mishap.host)) return;
  if (mishap.kind <= MishapKind::kHostClock) return HappenToHost(mishap);
  if (mishap.kind <= MishapKind::kDoubledMessages) return HappenToNetwork(mishap);
  if (mishap.kind <= MishapKind::kProgramKilled) return HappenToPrograms(mishap);
  HappenToGpu(mishap);
}

void Mishaps::HappenToController(const Mishap& mishap) {
  ControllerHost& controller = world_.controllers.Choose(Choose(mishap, 6, 256));
  if (mishap.kind == MishapKind::kControllerSleeps) return controller.SleepFor(mishap.lasts);
  if (mishap.kind == MishapKind::kControllerClock)
    return controller.clock().StepWall(StepOfClock(mishap));
  if (Choose(mishap, 1, 3) == 0) controller.SetRepair(mishap.lasts);
  controller.CrashAt(static_cast<CrashPoint>(Choose(mishap, 0, 5)));
}

void Mishaps::HappenToSharing(const Mishap& mishap) {
  const Instant end = world_.timeline.now() + mishap.lasts;
  const uint64_t dice = Choose(mishap, 6, 256);
  ControllerHost& controller = world_.controllers.Choose(dice);
  switch (mishap.kind) {
    case MishapKind::kStoreCut: return controller.client()->CutUntil(end);
    case MishapKind::kStoreShaky: return controller.client()->ShakeUntil(end);
    case MishapKind::kLeasesEnd: return world_.store->EndLeases();
    case MishapKind::kLeasesStretch:
      world_.store->StretchLeases(mishap.lasts);
      return world_.timeline.At(end, [this] { world_.store->StretchLeases({}); });
    case MishapKind::kStepDown: return controller.StepDown();
    default: {
      // One controller cannot be reached by any host.
      const size_t path = dice % world_.controllers.size();
      const PathSet paths{.first = path == 0, .others = path != 0};
      for (size_t host = 0; host < world_.plan.hosts.size(); ++host)
        world_.network.Cut(host, paths, true, Choose(mishap, 1, 2) == 0, mishap.lasts);
    }
  }
}

void Mishaps::Reboot(AgentHost& host, bool wiped, Duration lasts) {
  if (!host.has_power()) return;
  host.PowerOff(wiped);
  world_.timeline.After(lasts + Duration::Seconds(5), [&host] { host.PowerOn(); });
}

void Mishaps::LoseHost(size_t host) {
  // One host of each model stays, so that jobs that request the model can start.
  const auto model = [&](size_t index) {
    const GpuFacts& gpu = world_.plan.hosts[index].facts->gpus.front();
    return std::pair(gpu.model, gpu.mig.empty());
  };
  bool has_twin = false;
  for (size_t other = 0; other < world_.plan.hosts.size(); ++other) {
    const bool may_stay =
        other != host && !gone_.contains(other) && !world_.plan.hosts[other].is_stranger;
    has_twin |= may_stay && model(other) == model(host);
  }
  if (gone_.size() >= kHostsGoneMax || !has_twin) return;
  gone_.insert(host);
  world_.hosts[host]->PowerOff(true);
}

// Cards are exchanged or reordered while the host has no power.  A host with divided GPUs stays as
// it is, because the plan of its instances uses positions.
void Mishaps::ChangeHardware(const Mishap& mishap) {
  AgentHost& host = *world_.hosts[mishap.host];
  if (!host.has_power() || world_.plan.hosts[mishap.host].spares == 0) return;
  Reboot(host, false, mishap.lasts);
  if (mishap.kind == MishapKind::kGpusReordered) return host.hardware().Reorder();
  IgnoreResult(host.hardware().Exchange(mishap.gpu), "a card that is missing stays so");
}

void Mishaps::TakeName(Duration lasts) {
  const auto is_stranger = [](const HostPlan& host) { return host.is_stranger; };
  const auto found = std::ranges::find_if(world_.plan.hosts, is_stranger);
  AgentHost& stranger = *world_.hosts[static_cast<size_t>(found - world_.plan.hosts.begin())];
  if (stranger.has_power()) return;
  stranger.PowerOn();
  world_.timeline.After(lasts + Duration::Seconds(5), [&stranger] {
    if (stranger.has_power()) stranger.PowerOff(true);
  });
}

void Mishaps::HappenToHost(const Mishap& mishap) {
  AgentHost& host = *world_.hosts[mishap.host];
  const Instant end = world_.timeline.now() + mishap.lasts;
  switch (mishap.kind) {
    case MishapKind::kAgentCrash:
      host.KillAgent();
      world_.timeline.At(end, [&host] { host.StartAgent(); });
      return;
    case MishapKind::kAgentSleeps: return host.SleepUntil(end);
    case MishapKind::kHostReboots: return Reboot(host, false, mishap.lasts);
    case MishapKind::kHostWiped: return Reboot(host, true, mishap.lasts);
    case MishapKind::kHostGone: return LoseHost(mishap.host);
    case MishapKind::kGpuGone:
      if (host.UnlistGpu(mishap.gpu)) world_.timeline.At(end, [&host] { host.StartAgent(); });
      return;
    case MishapKind::kGpuExchanged:
    case MishapKind::kGpusReordered: return ChangeHardware(mishap);
    case MishapKind::kNameTaken: return TakeName(mishap.lasts);
    default: return host.clock().StepWall(StepOfClock(mishap));
  }
}

void Mishaps::HappenToNetwork(const Mishap& mishap) {
  Network& network = world_.network;
  const PathSet paths = PathsOf(mishap);
  switch (mishap.kind) {
    case MishapKind::kPartition: return network.Cut(mishap.host, paths, true, true, mishap.lasts);
    case MishapKind::kDeaf: return network.Cut(mishap.host, paths, false, true, mishap.lasts);
    case MishapKind::kMute: return network.Cut(mishap.host, paths, true, false, mishap.lasts);
    case MishapKind::kLinkBreaks: return network.Break(mishap.host);
    case MishapKind::kStrayController:
      return network.Stray(mishap.host, Choose(mishap, 0, network.paths()), mishap.lasts);
    case MishapKind::kSlowLink:
      return network.Slow(mishap.host, paths,
                          Duration::Milliseconds(static_cast<int64_t>(Choose(mishap, 0, 4'000))),
                          mishap.lasts);
    default: return network.Double(mishap.host, mishap.lasts);
  }
}

std::optional<LeaseId> Mishaps::AnyProgramOn(const Mishap& mishap) const {
  std::vector<LeaseId> here;
  for (const LeaseId lease : world_.programs.alive()) {
    if (world_.programs.Find(lease)->host == mishap.host) here.push_back(lease);
  }
  return here.empty() ? std::nullopt : std::optional(here[Choose(mishap, 0, here.size())]);
}

void Mishaps::HappenToPrograms(const Mishap& mishap) {
  AgentHost& host = *world_.hosts[mishap.host];
  if (mishap.kind == MishapKind::kStartsFail)
    return host.attempts().FailStartsUntil(world_.timeline.now() + mishap.lasts);
  const auto lease = AnyProgramOn(mishap);
  if (!lease) return;
  if (mishap.kind == MishapKind::kProgramKilled)
    return host.attempts().KillProgram(*lease, EndCause::kOutOfMemory, 9);
  // A running agent cleans up afterwards; without one, the supervisor is not killed.
  if (host.has_agent() && host.is_awake()) host.attempts().KillSupervisor(*lease);
}

// The same error, repeated many times, must not mean more than one.
void Mishaps::Flood(const Mishap& mishap, int left) {
  static constexpr int kXids[] = {13, 31, 43, 45, 63, 92, 95};
  world_.hosts[mishap.host]->RaiseXid(mishap.gpu, kXids[Choose(mishap, 0, std::size(kXids))], {});
  if (left > 0)
    world_.timeline.After(Duration::Milliseconds(7),
                          [this, mishap, left] { Flood(mishap, left - 1); });
}

void Mishaps::HappenToGpu(const Mishap& mishap) {
  static constexpr int kProgramXids[] = {13, 31, 43, 45, 68};
  static constexpr int kFatalXids[] = {46, 48, 62, 64, 74, 95, 109, 119, 120, 140, 143};
  static constexpr std::pair<int, int> kBursts[] = {{48, 63}, {119, 120}, {63, 48},
                                                    {74, 95}, {45, 95},   {31, 119}};
  AgentHost& host = *world_.hosts[mishap.host];
  GpuDamage& damage = host.hardware().At(mishap.gpu);
  switch (mishap.kind) {
    case MishapKind::kProgramXid: {
      const auto users = world_.programs.AliveOn(mishap.host, mishap.gpu);
      return host.RaiseXid(mishap.gpu, kProgramXids[Choose(mishap, 0, std::size(kProgramXids))],
                           users.empty() ? LeaseId{} : users.front());
    }
    case MishapKind::kXidFlood: return Flood(mishap, 100);
    case MishapKind::kFatalXid:
      return host.RaiseXid(mishap.gpu, kFatalXids[Choose(mishap, 0, std::size(kFatalXids))], {});
    case MishapKind::kFatalBurst: {
      const auto [first, second] = kBursts[Choose(mishap, 0, std::size(kBursts))];
      host.RaiseXid(mishap.gpu, first, {});
      world_.timeline.After(
          Duration::Milliseconds(static_cast<int64_t>(Choose(mishap, 1, 3'000))),
          [&host, gpu = mishap.gpu, xid = second] { host.RaiseXid(gpu, xid, {}); });
      return;
    }
    case MishapKind::kGpuLost: return host.LoseGpu(mishap.gpu);
    case MishapKind::kGpuBroken: damage.is_broken = true; return host.RaiseXid(mishap.gpu, 95, {});
    case MishapKind::kResetsFail:
      damage.resets_fail = true;
      return host.RaiseXid(mishap.gpu, 119, {});
    case MishapKind::kAdviceOnly:
      damage.needs_reset = true;
      damage.advice = RecoveryAction::kGpuReset;
      return;
    case MishapKind::kHeat:
      return host.HeatGpu(mishap.gpu, static_cast<Warmth>(1 + Choose(mishap, 0, 3)), mishap.lasts);
    default: return host.BlindGpu(mishap.gpu, mishap.lasts);
  }
}

void Mishaps::ChangeService(const Mishap& mishap, ServiceAction action) {
  std::optional<NodeId> node;
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    const auto found = state.nodes.by_name.find(world_.plan.hosts[mishap.host].facts->name);
    if (found != state.nodes.by_name.end()) node = found->second;
  }),
               "a controller that is down shows nothing");
  if (!node) return;
  const int gpu = Choose(mishap, 1, 3) == 0 ? -1 : mishap.gpu;
  world_.clients.Insist(
      "user:root", gp::ChangeService{*node, gpu, action, Choose(mishap, 2, 2) == 0, "service"});
}

// Proposes placements that were valid some seconds ago, and some that never were.
void Mishaps::PlanLate(const Mishap& mishap) {
  Plan plan;
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    plan = Planner().Schedule(state, world_.controllers.clock().Now());
  }),
               "a controller that is down shows nothing");
  std::vector<PlaceGang> placements = plan.Placements();
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    if (state.leases.all.empty() || state.jobs.queued.empty()) return;
    auto lease = state.leases.all.begin();
    std::advance(lease, Choose(mishap, 0, state.leases.all.size()));
    auto job = state.jobs.queued.begin();
    std::advance(job, Choose(mishap, 1, state.jobs.queued.size()));
    placements.push_back({state.last_pass + 1,
                          *job,
                          {{lease->second.node, lease->second.gpus, lease->second.numa}},
                          "as if it were free",
                          0});
    placements.push_back({state.last_pass + 1,
                          lease->second.job,
                          {{lease->second.node, lease->second.gpus, lease->second.numa}},
                          "again",
                          0});
  }),
               "a controller that is down shows nothing");
  world_.timeline.After(Duration::Milliseconds(static_cast<int64_t>(Choose(mishap, 2, 256)) * 20),
                        [this, placements = std::move(placements)] {
                          for (const PlaceGang& placement : placements)
                            IgnoreResult(world_.controllers.Execute("scheduler", "", placement),
                                         "a refusal is a legal answer");
                        });
}

void Mishaps::CloseIncident(const Mishap& mishap) {
  std::optional<IncidentId> incident;
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    if (state.faults.incidents.empty()) return;
    auto found = state.faults.incidents.begin();
    std::advance(found, Choose(mishap, 0, state.faults.incidents.size()));
    incident = found->first;
  }),
               "a controller that is down shows nothing");
  if (incident)
    world_.clients.Insist("user:root",
                          ChangeIncident{*incident,
                                         Choose(mishap, 1, 2) == 0 ? IncidentState::kAcknowledged
                                                                   : IncidentState::kClosed,
                                         "seen"});
}

// Reserves a node for maintenance, beginning at once or later.
void Mishaps::Reserve(const Mishap& mishap) {
  std::optional<NodeId> node;
  Reservation reservation;
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    const auto found = state.nodes.by_name.find(world_.plan.hosts[mishap.host].facts->name);
    if (found == state.nodes.by_name.end()) return;
    reservation.name = "maintenance-" + std::to_string(mishap.dice % 1'000'000);
    reservation.pool = state.FindNode(found->second)->pool;
    reservation.nodes = {found->second};
    reservation.starts_at =
        world_.controllers.clock().Now() +
        Duration::Seconds(static_cast<int64_t>(Choose(mishap, 1, 2) * Choose(mishap, 2, 40)));
    reservation.ends_at = reservation.starts_at + mishap.lasts + Duration::Seconds(5);
    node = found->second;
  }),
               "a controller that is down shows nothing");
  if (node) world_.clients.Insist("user:root", ReserveNodes{reservation, 0});
}

void Mishaps::MakeMoves() {
  std::vector<MovePlan> plans;
  IgnoreResult(world_.controllers.Read([&](const State& state) {
    plans = PlanMoves(state, world_.controllers.clock().Now());
  }),
               "a controller that is down shows nothing");
  for (const MovePlan& plan : plans)
    IgnoreResult(world_.controllers.Execute("user:root", "", plan.moves),
                 "a refusal is a legal answer");
}

void Mishaps::HappenByPeople(const Mishap& mishap, const std::vector<size_t>& jobs) {
  const auto any_job = [&] { return jobs[mishap.dice % jobs.size()]; };
  switch (mishap.kind) {
    case MishapKind::kDrain: return ChangeService(mishap, ServiceAction::kDrain);
    case MishapKind::kOffline: return ChangeService(mishap, ServiceAction::kOffline);
    case MishapKind::kReset: return ChangeService(mishap, ServiceAction::kReset);
    case MishapKind::kOnline: return ChangeService(mishap, ServiceAction::kOnline);
    case MishapKind::kStalePlan: return PlanLate(mishap);
    case MishapKind::kIncidentClosed: return CloseIncident(mishap);
    case MishapKind::kReservation: return Reserve(mishap);
    case MishapKind::kMoves: return MakeMoves();
    default: break;
  }
  if (jobs.empty()) return;
  if (mishap.kind == MishapKind::kCancel)
    return world_.clients.Stop(any_job(), Choose(mishap, 7, 2) == 0);
  if (mishap.kind == MishapKind::kHold) return world_.clients.Hold(any_job(), mishap.lasts);
  world_.clients.SetPriority(any_job(), static_cast<int>(250 * (1 + Choose(mishap, 7, 3))));
}

}  // namespace gp
