#pragma once

// The one health verdict on a GPU, from its readings and reports: every display of health uses it.

#include <string>

#include "domain/cluster/state/state.h"

namespace gp {

enum class HealthLevel { kOk, kWarn, kFail, kUnknown };

struct GpuVerdict {
  HealthLevel level = HealthLevel::kOk;
  std::string code;     // "ok", "ecc-uncorrected", "xid-79", "out-of-service" …
  std::string why;      // in words; empty: it is healthy
  std::string follows;  // the action that follows, in words; empty: none
  bool takes_new_work = false;
};

// REQUIRES: there is such a GPU.
GpuVerdict VerdictOf(const State& state, const GpuKey& key);

// The incident that holds back the remedy of the GPU until an operator closes it; 0: none.
IncidentId HeldBy(const State& state, const GpuKey& key);

const char* Name(HealthLevel level);

}  // namespace gp
