#pragma once

// Patience with a controller that is away: it may be starting again.

#include <poll.h>

#include <cstdint>

#include "base/error.h"
#include "base/time.h"
#include "infrastructure/system_clock.h"

namespace gp {

// Whether the same call may succeed later, over another connection.
inline bool MayPass(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kUnauthenticated ||
         error.code == ErrorCode::kDeadlineExceeded;
}

// Retries while the controller is away, up to kPatience since its last answer.
class LinePatience {
 public:
  void Heard() { heard_ns_ = clock_.BootNs(); }
  // False: it has been away for too long.
  bool Wait() {
    if (clock_.BootNs() - heard_ns_ > kPatience.ns) return false;
    poll(nullptr, 0, kRetryMs);
    return true;
  }

 private:
  static constexpr Duration kPatience = Duration::Minutes(1);
  static constexpr int kRetryMs = 200;
  SystemClock clock_;
  int64_t heard_ns_ = clock_.BootNs();
};

}  // namespace gp
