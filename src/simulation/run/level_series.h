#pragma once

// How high something stood over time, in no more than kLevelPointsMax means over equal spans: the
// spans double as the run grows longer, so that nobody needs to know beforehand how long it will
// be.

#include <vector>

#include "base/time.h"

namespace gp {

inline constexpr size_t kLevelPointsMax = 512;

class LevelSeries {
 public:
  explicit LevelSeries(Instant begin) : begin_(begin), until_(begin) {}

  // It was so high since the last call, or the beginning.
  void Extend(Instant until, double level);
  // Of each span that begins before `end`, as far as it was told.  REQUIRES: `end` is not before
  // the beginning.
  std::vector<double> Means(Instant end) const;
  Duration span() const { return span_; }

 private:
  void Fold();

  Instant begin_;
  Instant until_;
  Duration span_ = Duration::Seconds(1);
  std::vector<double> sums_;  // of level times nanoseconds, by span; 0 behind the last
};

}  // namespace gp
