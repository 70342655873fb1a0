#pragma once

// When something that failed is tried again, and when no longer.

#include <random>

#include "base/error.h"
#include "base/time.h"

namespace gp {

struct RetryLimits {
  Duration first =
      Duration::Milliseconds(300);           // before the second try; doubled for each later one
  Duration longest = Duration::Seconds(20);  // also of what a server asks for
  Duration stall = Duration::Seconds(120);   // for how long there may be no progress
};

// Whether it may help to do the same again.
bool IsTransient(const Error& error);

// The tries of one thing.  One thread.
class Retries {
 public:
  // `stop_fd`: readable when it is not to be tried again; -1: none.
  Retries(const RetryLimits& limits, int stop_fd);

  void NoteProgress();  // the next pause is the first one again
  // Waits until the next try, at least as long as the server asked.  False: there is to be none.
  bool Wait(const Error& error, Duration asked);

 private:
  const RetryLimits limits_;
  const int stop_fd_;
  std::minstd_rand random_;
  int64_t progress_ns_;  // when there was progress, by the monotonic clock
  Duration pause_;
};

}  // namespace gp
