#pragma once

// Virtual time: what is to happen, in order.  Of two things at one instant the one that was asked
// for first comes first, so that a run depends on nothing but what is asked for.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/time.h"

namespace gp {

class Timeline {
 public:
  Instant now() const { return now_; }
  uint64_t steps() const { return steps_; }

  // In the past: now.
  void At(Instant at, std::function<void()> what);
  void After(Duration wait, std::function<void()> what) { At(now_ + wait, std::move(what)); }

  // Does the next thing.  false: nothing is to happen before `until`, and it is `until`.
  bool Step(Instant until);

 private:
  struct Entry {
    Instant at;
    uint64_t order = 0;
    std::function<void()> what;
    bool operator>(const Entry& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  Instant now_{1'700'000'000'000'000'000};
  std::vector<Entry> entries_;  // a heap, the next one first
  uint64_t orders_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace gp
