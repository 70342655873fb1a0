#include "simulation/what_if/usage.h"

#include "domain/cluster/quota.h"

namespace gp {

void Usage::Observe(const State& state, Instant now) {
  const double hours = last_.ns == 0 ? 0 : static_cast<double>((now - last_).ns) / 3.6e12;
  last_ = now;
  double held = 0;
  for (const auto& [name, queue] : state.queues) {
    if (!name.contains('/')) held += static_cast<double>(HeldNow(state, {name, ""}).share) / kWholeShare;
  }
  double installed = 0;
  for (const auto& [pool, gpus] : state.capacity) installed += static_cast<double>(gpus);
  held_ += held * hours;
  installed_ += installed * hours;
  if (!state.queued.empty()) idle_while_waiting_ += (installed - held) * hours;
}

}  // namespace gp
