#pragma once

// Spans of time drawn by a seed.  Only operations that IEEE 754 rounds exactly are used, so that
// every machine draws the same.

#include "base/rng.h"
#include "base/time.h"

namespace gp {

struct Draw {
  enum class Kind { kFixed, kMean, kMedian };

  Kind kind = Kind::kFixed;
  Duration value;  // the span itself, the mean, or the median
  Duration p90;    // kMedian: nine of ten are shorter
};

// kMean: exponential, as times between calls that know nothing of each other.  kMedian: nearly
// lognormal, as lengths of jobs.  Whole seconds, at least one, unless it is fixed.
Duration DrawSpan(const Draw& draw, Rng& rng);

}  // namespace gp
