#pragma once

#include <unistd.h>

namespace gp {

// Waits for what another thread or process does.  False when it has not come within a minute: far
// above what a busy machine needs, so a test that waits so fails only for a reason.
template <typename Condition>
bool WaitUntil(Condition condition) {
  constexpr int kPollsMax = 60'000;
  for (int i = 0; i < kPollsMax; ++i) {
    if (condition()) return true;
    usleep(1'000);
  }
  return condition();
}

}  // namespace gp
