#pragma once

// The one verdict on a GPU, by its readings and by what was reported of it: whatever shows health
// shows this.

#include <string>

#include "domain/cluster/state.h"

namespace gp {

enum class HealthLevel { kOk, kWarn, kFail, kUnknown };

struct GpuVerdict {
  HealthLevel level = HealthLevel::kOk;
  std::string code;     // "ok", "ecc-uncorrected", "xid-79", "out-of-service" …
  std::string why;      // in words; empty: it is well
  std::string follows;  // what is done about it, in words; empty: nothing
  bool takes_new_work = false;
};

// REQUIRES: there is such a GPU.
GpuVerdict VerdictOf(const State& state, const GpuKey& key);

// The incident that holds back the remedy of the GPU until an operator closes it; 0: none does.
IncidentId HeldBy(const State& state, const GpuKey& key);

const char* Name(HealthLevel level);

}  // namespace gp
