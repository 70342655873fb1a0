#include "simulation/world/gpu_hardware.h"

#include <algorithm>
#include <iterator>

namespace gp {
namespace {

constexpr int kFellOffTheBus = 79;

int TemperatureOf(Warmth warmth) {
  switch (warmth) {
    case Warmth::kCool: return 50;
    case Warmth::kWarm: return *kHeatLimits.slowdown_c - 1;
    case Warmth::kSlowed: return *kHeatLimits.slowdown_c + 1;
    case Warmth::kCritical: return *kHeatLimits.shutdown_c;
  }
  return 0;
}

}  // namespace

bool IsFatalXid(int xid) {
  static constexpr int kFatal[] = {46, 48, 62, 64, 74, 79, 95, 109, 119, 120, 140, 143};
  return std::ranges::find(kFatal, xid) != std::end(kFatal);
}

GpuHardware::GpuHardware(const HostPlan& plan, Timeline& timeline)
    : plan_(plan), timeline_(timeline), damage_(plan.facts->gpus.size()), cards_(plan.facts->gpus) {
  for (size_t card = 0; card < cards_.size() - plan.spares; ++card) {
    installed_.push_back(static_cast<int>(card));
  }
  listed_ = installed_;
  NumberMinors();
}

// Minor numbers differ from positions, and change at each start of the driver.
void GpuHardware::NumberMinors() {
  int next = static_cast<int>(installed_.size());
  for (const int card : installed_) cards_[static_cast<size_t>(card)].minor = --next;
}

int GpuHardware::CardWithMinor(int minor) const {
  const auto has_it = [&](int card) { return cards_[static_cast<size_t>(card)].minor == minor; };
  const auto found = std::ranges::find_if(installed_, has_it);
  return found == installed_.end() ? -1 : *found;
}

std::shared_ptr<const NodeFacts> GpuHardware::Facts() const {
  auto facts = std::make_shared<NodeFacts>(*plan_.facts);
  facts->gpus.clear();
  facts->links.clear();
  for (const int card : listed_) {
    facts->gpus.push_back(cards_[static_cast<size_t>(card)]);
    for (const int other : listed_) {
      facts->links.push_back(static_cast<uint8_t>(plan_.facts->LinkCount(card, other)));
    }
  }
  for (NumaFacts& numa : facts->numa) numa.memory_mib -= reserved_mib_;
  return facts;
}

void GpuHardware::Unlist(int card) {
  std::erase(listed_, card);
  events_.clear();
}

bool GpuHardware::Exchange(int card) {
  const int spare = static_cast<int>(cards_.size()) - 1;
  const auto place = std::ranges::find(installed_, card);
  if (plan_.spares == 0 || place == installed_.end() || IsInstalled(spare) || card == spare)
    return false;
  cards_[static_cast<size_t>(spare)].numa = cards_[static_cast<size_t>(card)].numa;
  *place = spare;
  PowerCycle();
  return true;
}

void GpuHardware::Reorder() {
  std::ranges::rotate(installed_, installed_.begin() + 1);
  reserved_mib_ += 64;
  PowerCycle();
}

template <typename T>
std::vector<T> GpuHardware::AsListed(std::vector<T>& all) const {
  std::vector<T> taken;
  for (T& one : std::exchange(all, {})) {
    const auto place = std::ranges::find(listed_, one.gpu);
    if (place == listed_.end()) continue;
    one.gpu = static_cast<int>(place - listed_.begin());
    taken.push_back(std::move(one));
  }
  return taken;
}
template std::vector<XidSighting> GpuHardware::AsListed(std::vector<XidSighting>& all) const;
template std::vector<SeenXid> GpuHardware::AsListed(std::vector<SeenXid>& all) const;

void GpuHardware::Raise(int card, int xid, LeaseId lease, std::optional<int> instance,
                        bool is_fatal) {
  GpuDamage& damage = At(card);
  if (is_fatal) {
    damage.needs_reset = true;
    if (plan_.tells_advice)
      damage.advice =
          xid == kFellOffTheBus ? RecoveryAction::kNodeReboot : RecoveryAction::kGpuReset;
  }
  const bool is_blind = damage.blind_since.ns != 0;
  const auto advice = plan_.tells_advice ? std::optional(damage.advice) : std::nullopt;
  if (!is_blind) events_.push_back({card, xid, instance, instance, advice});
  if (!plan_.has_kernel_log) return;
  SeenXid line;
  line.gpu = card;
  line.xid = xid;
  line.source = XidSource::kKernelLog;
  line.lease = lease;
  line.text = "NVRM: Xid " + std::to_string(xid);
  lines_.push_back(line);
}

void GpuHardware::PowerCycle() {
  for (GpuDamage& gpu : damage_) {
    const bool is_broken = gpu.is_broken;
    gpu = {};
    gpu.is_broken = is_broken;
  }
  events_.clear();
  lines_.clear();
  listed_ = installed_;
  NumberMinors();
}

std::vector<GpuReading> GpuHardware::Read() const {
  std::vector<GpuReading> readings;
  for (size_t i = 0; i < listed_.size(); ++i) {
    const GpuDamage& gpu = At(listed_[i]);
    GpuHealth health;
    health.index = static_cast<int>(i);
    health.lost = gpu.is_lost;
    if (plan_.tells_advice) health.recovery_action = gpu.advice;
    health.temperature_c = TemperatureOf(gpu.warmth);
    if (gpu.warmth >= Warmth::kSlowed) health.throttle_reasons = {kHardwareThermalSlowdown};
    GpuReading reading{health, 0, ""};
    if (gpu.blind_since.ns != 0) reading.age_ns = (timeline_.now() - gpu.blind_since).ns;
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace gp
