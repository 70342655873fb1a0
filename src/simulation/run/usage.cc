#include "simulation/run/usage.h"

namespace gp {
namespace {

constexpr double kNsPerHour = 3.6e12;

}  // namespace

double HeldTime::installed_hours() const { return static_cast<double>(installed) / kNsPerHour; }

double HeldTime::held_hours() const { return static_cast<double>(held) / kNsPerHour / kWholeShare; }

HeldTime Usage::total() const {
  HeldTime total;
  for (const auto& [model, time] : by_model) {
    total.installed += time.installed;
    total.held += time.held;
  }
  return total;
}

std::optional<double> Usage::fragmentation() const {
  if (free == 0) return std::nullopt;
  return static_cast<double>(stranded) / static_cast<double>(free);
}

void HoldMeter::Observe(const State& state, Instant now) {
  levels_.Follow(state);
  const int64_t span = last_.ns == 0 ? 0 : (now - last_).ns;
  if (span > 0) fragmentation_.Follow(state);
  last_ = now;
  HeldTime added;
  for (const auto& [model, level] : levels_.by_model()) {
    HeldTime& time = usage_.by_model[model];
    time.installed += Wide{level.installed} * span;
    time.held += Wide{level.held} * span;
    added.installed += Wide{level.installed} * span;
    added.held += Wide{level.held} * span;
  }
  for (const auto& [pool, level] : fragmentation_.by_pool()) {
    if (!level.is_known) continue;
    usage_.free += Wide{level.free} * kWholeShare * span;
    usage_.stranded += Wide{level.stranded} * span;
  }
  if (!state.jobs.queued.empty())
    usage_.idle_while_waiting += added.installed_hours() - added.held_hours();
}

}  // namespace gp
