#include "domain/cluster/apply.h"

#include "domain/cluster/apply_parts.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/transition_rules.h"

namespace gp {

void Apply(State& state, Instant at, const Event& event) {
  AssertBefore(state, event);
  Redivision division(state, at, event);
  std::visit([&](const auto& e) { ApplyEvent(state, at, e); }, event);
  division.Enter();
  AssertAfter(state, event);
}

}  // namespace gp
