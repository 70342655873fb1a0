#pragma once

// When a request has to end.  Only for this folder.

#include <poll.h>

#include <chrono>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// The time limit of a request, which begins now, and the descriptor by which its caller stops it.
// Immutable; one thread.
class Deadline {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `limit` of 0: none.  `stop_fd`: readable when the caller does not want the response; -1: none.
  Deadline(Duration limit, int stop_fd) : limit_(limit), end_(After(limit)), stop_fd_(stop_fd) {}

  // max(): never.
  static TimePoint After(Duration span) {
    if (span.ns <= 0) return TimePoint::max();
    return std::chrono::steady_clock::now() + std::chrono::nanoseconds(span.ns);
  }

  TimePoint end() const { return end_; }
  int stop_fd() const { return stop_fd_; }

  // kDeadlineExceeded: the time is up. kUnavailable: the caller has stopped the request.
  Status Check() const {
    pollfd stop{stop_fd_, POLLIN, 0};
    if (stop_fd_ >= 0 && poll(&stop, 1, 0) > 0) return Fail(Unavailable("it was aborted"));
    if (std::chrono::steady_clock::now() < end_) return Ok();
    return Fail(Error{ErrorCode::kDeadlineExceeded, "no answer within " + ToText(limit_)});
  }

 private:
  const Duration limit_;
  const TimePoint end_;
  const int stop_fd_;
};

}  // namespace gp
