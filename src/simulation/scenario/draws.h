#pragma once

// Random durations, drawn with a seed.  Only operations that IEEE 754 rounds exactly are used, so
// that every machine draws the same values.

#include "base/rng.h"
#include "base/time.h"

namespace gp {

struct Draw {
  enum class Kind { kFixed, kMean, kMedian };

  Kind kind = Kind::kFixed;
  Duration value;  // the duration itself, the mean, or the median
  Duration p90;    // kMedian: nine of ten draws are shorter
};

// kMean: exponential, like the times between independent arrivals. kMedian: nearly lognormal, like
// the lengths of jobs.  Whole seconds, at least one, except for kFixed.
Duration DrawSpan(const Draw& draw, Rng& rng);

}  // namespace gp
