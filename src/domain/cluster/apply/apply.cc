#include "domain/cluster/apply/apply.h"

#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/apply/transition_rules.h"
#include "domain/cluster/metering.h"

namespace gp {

void Apply(State& state, Instant at, const Event& event) {
  AssertBefore(state, event);
  Redivision division(state, at, event);
  std::visit([&](const auto& e) { ApplyEvent(state, at, e); }, event);
  division.Enter();
  AssertAfter(state, event);
}

}  // namespace gp
