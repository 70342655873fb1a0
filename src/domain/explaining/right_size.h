#pragma once

// What would have been enough for a job, by what it was seen to use: docs/use.md.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/model/job_spec.h"
#include "domain/model/use.h"

namespace gp {

struct GpuUsed {
  GpuUse use;
  int64_t memory_mib = 0;  // of the GPU itself
};

struct RankUsed {
  std::vector<GpuUsed> gpus;
  int64_t cpu_ms = 0;
  int64_t cpu_seen_ms = 0;
  int64_t memory_mib = GpuUse::kNotSeen;  // of the host, the most
};

struct AttemptUsed {
  Duration length;            // from its placement on
  bool is_completed = false;  // and its job with it
  std::vector<RankUsed> ranks;
};

enum class AdviceKind { kIdle, kGpus, kShare, kCpus, kMemory, kTimeLimit };
const char* Name(AdviceKind kind);

struct Advice {
  AdviceKind kind = AdviceKind::kIdle;
  std::string text;
  int saved_thousandths = 0;  // of the GPU time that it held
};

// In the order of what it saves; none where too little was seen to tell.
std::vector<Advice> RightSize(const JobSpec& spec, const AttemptUsed& used);

}  // namespace gp
