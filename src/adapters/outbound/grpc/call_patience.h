#pragma once

// How long a call is repeated while no controller answers it.

#include <poll.h>

#include <algorithm>
#include <chrono>

namespace gp {

// Of one controller: it may be starting again, or be overloaded.
inline constexpr std::chrono::seconds kRestartPatience{5};
// Of several: another one takes over, within about five seconds.
inline constexpr std::chrono::seconds kTakeOverPatience{15};

// Pauses between tries, each twice as long as the one before, until the time is over.
class CallPatience {
 public:
  CallPatience(std::chrono::milliseconds time, int longest_pause_ms)
      : until_(std::chrono::steady_clock::now() + time), longest_pause_ms_(longest_pause_ms) {}
  static CallPatience WithOne() { return {kRestartPatience, 1'000}; }
  static CallPatience WithSeveral() { return {kTakeOverPatience, 250}; }

  // False: it is over.
  bool Pause() {
    if (std::chrono::steady_clock::now() >= until_) return false;
    poll(nullptr, 0, pause_ms_);
    pause_ms_ = std::min(2 * pause_ms_, longest_pause_ms_);
    return true;
  }

 private:
  std::chrono::steady_clock::time_point until_;
  int longest_pause_ms_;
  int pause_ms_ = 50;
};

}  // namespace gp
