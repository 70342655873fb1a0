#pragma once

#include <algorithm>

namespace gp {

// The pauses between looks at a job that waits, each about an eighth of the time waited so far: a
// job that starts at once is noticed at once, and hundreds who wait for hours ask seldom.
class LookAgain {
 public:
  int NextPauseMs() {
    const int pause_ms = pause_ms_;
    pause_ms_ = std::min(pause_ms + pause_ms / 8, kLastMs);
    return pause_ms;
  }

 private:
  static constexpr int kFirstMs = 20;
  static constexpr int kLastMs = 1'000;
  int pause_ms_ = kFirstMs;
};

}  // namespace gp
