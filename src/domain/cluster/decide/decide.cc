#include "domain/cluster/decide/decide.h"

#include "domain/cluster/decide/decide_parts.h"

namespace gp {

Result<std::vector<Event>> Decide(const State& state, const Envelope& envelope) {
  return std::visit([&](const auto& command) { return DecideCommand(state, envelope, command); },
                    envelope.command);
}

}  // namespace gp
