#include "domain/cluster/apply.h"

#include "domain/cluster/apply_parts.h"

namespace gp {

void Apply(State& state, Instant at, const Event& event) {
  std::visit([&](const auto& e) { ApplyEvent(state, at, e); }, event);
}

}  // namespace gp
