#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/time.h"

namespace gp {

// Virtual time: an ordered list of actions.  Of two actions at the same instant the one that was
// added first runs first, so that a run depends only on its inputs.
class Timeline {
 public:
  Instant now() const { return now_; }
  uint64_t steps() const { return steps_; }

  // An instant in the past counts as now.
  void At(Instant at, std::function<void()> what);
  void After(Duration wait, std::function<void()> what) { At(now_ + wait, std::move(what)); }

  // Runs the next action.  False: no action is due before `until`, and the time is now `until`.
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
