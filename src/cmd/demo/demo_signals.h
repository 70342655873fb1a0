#pragma once

namespace gp {

inline constexpr int kExitInterrupted = 130;

// From now on Ctrl-C, SIGTERM and a closed terminal do not end the process; IsDemoInterrupted
// reports them, so that the demo can end cleanly.
void HearDemoSignals();
bool IsDemoInterrupted();

}  // namespace gp
