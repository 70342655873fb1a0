#pragma once

// The estimated GPU-hours of a job, and what its queues' limits leave of them.

#include <cstdint>
#include <string>
#include <vector>

#include "domain/explaining/lengths.h"

namespace gp {

// The source of the estimated length of a job.
enum class LengthSource { kNothing, kTimeLimit, kPast };

// A limit of GPU-hours that applies to the job, in thousandths of GPUs times milliseconds.
struct Allowance {
  std::string queue;
  std::string user;  // empty: the limit of the queue as a whole
  int64_t used = 0;  // by the queue or user, in this period
  int64_t limit = 0;
};

struct Cost {
  int64_t share = 0;  // thousandths of GPUs, summed over its ranks
  LengthSource source = LengthSource::kNothing;
  // Eight of ten similar jobs have lengths between shortest and longest.  All three equal the time
  // limit if there are no similar jobs; they are zero if there is no limit either.
  Duration shortest;
  Duration median;
  Duration longest;
  // Of its queues from the root down, each followed by the limit of its user there.
  std::vector<Allowance> allowances;
  std::string text;  // one line
};

Cost CostOf(const State& state, const Lengths& lengths, Instant at, const Job& job);

}  // namespace gp
