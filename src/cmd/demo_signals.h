#pragma once

namespace gp {

inline constexpr int kExitInterrupted = 130;

// Whoever ends the demo (Ctrl-C, SIGTERM, a closed terminal) wants its end to be clean: from now on
// it is asked by IsDemoInterrupted instead.
void HearDemoSignals();
bool IsDemoInterrupted();

}  // namespace gp
