#pragma once

#include <vector>

#include "base/time.h"

namespace gp {

inline constexpr size_t kLevelPointsMax = 512;

// A value over time, as at most kLevelPointsMax means over equal spans.  The spans double as the
// run grows, so that its length need not be known beforehand.
class LevelSeries {
 public:
  explicit LevelSeries(Instant begin) : begin_(begin), until_(begin) {}

  // The value was `level` since the last call, or since the beginning.
  void Extend(Instant until, double level);
  // The mean of each span that begins before `end`, as far as Extend has covered it.  REQUIRES:
  // `end` is not before the beginning.
  std::vector<double> Means(Instant end) const;
  Duration span() const { return span_; }

 private:
  void Fold();

  Instant begin_;
  Instant until_;
  Duration span_ = Duration::Seconds(1);
  std::vector<double> sums_;  // level times nanoseconds, by span; spans after the last have 0
};

}  // namespace gp
