#pragma once

// What resources would have been enough for a job, from its measured use: docs/use.md.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/use.h"

namespace gp {

struct GpuUsed {
  GpuUse use;
  int64_t memory_mib = 0;  // total memory of the GPU
};

struct RankUsed {
  std::vector<GpuUsed> gpus;
  int64_t cpu_ms = 0;
  int64_t cpu_seen_ms = 0;
  int64_t memory_mib = GpuUse::kNotSeen;  // of the host, the maximum; kNotSeen: not measured
};

struct AttemptUsed {
  Duration length;            // since its placement
  bool is_completed = false;  // and so is its job
  std::vector<RankUsed> ranks;
};

enum class AdviceKind { kIdle, kGpus, kShare, kCpus, kMemory, kTimeLimit };
const char* Name(AdviceKind kind);

struct Advice {
  AdviceKind kind = AdviceKind::kIdle;
  std::string text;
  int saved_thousandths = 0;  // of the GPU time that it held, in thousandths
};

// Ordered by savings, largest first; empty where the measurements are too short.
std::vector<Advice> RightSize(const JobSpec& spec, const AttemptUsed& used);

}  // namespace gp
