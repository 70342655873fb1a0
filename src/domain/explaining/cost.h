#pragma once

// What a job may come to in GPU-hours, and what its limits leave of them.

#include <cstdint>
#include <string>
#include <vector>

#include "domain/explaining/lengths.h"

namespace gp {

// Where the length of a job is taken from.
enum class LengthSource { kNothing, kTimeLimit, kPast };

// A limit of GPU-hours that the job counts on, in thousandths of GPUs times milliseconds.
struct Allowance {
  std::string queue;
  std::string user;  // empty: of the queue as a whole
  int64_t used = 0;  // in this period
  int64_t limit = 0;
};

struct Cost {
  int64_t share = 0;  // thousandths of GPUs, of all its ranks
  LengthSource source = LengthSource::kNothing;
  // Eight of ten jobs like it end between these; the same three where its time limit is all that is
  // known.
  Duration shortest;
  Duration median;
  Duration longest;
  std::vector<Allowance> allowances;  // its queues from the top, each before its user there
  std::string text;                   // one line
};

Cost CostOf(const State& state, const Lengths& lengths, Instant at, const Job& job);

}  // namespace gp
