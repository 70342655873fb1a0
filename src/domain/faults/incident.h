#pragma once

// An incident: one cause, what was done about it and when, whom it cost what.  It is opened by a
// fault, closed by its remedy or by a person, and remembered for a while.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/faults/xid.h"
#include "domain/model/ids.h"

namespace gp {

enum class IncidentState { kOpen, kAcknowledged, kClosed };

struct IncidentStep {
  Instant at;
  std::string what;
};

struct Incident {
  IncidentId id;
  IncidentState state = IncidentState::kOpen;
  std::string cause;  // "XID 79": the first that was seen
  std::string pool;   // of its node, at that time
  std::string node;   // its name; empty: of the whole pool
  int gpu = -1;       // position in the node; -1: of the whole node or pool
  std::string uuid;
  GpuRemedy remedy = GpuRemedy::kNone;  // the strongest that it called for
  bool needs_person = false;            // nothing more happens by itself
  Instant opened_at;
  Instant last_at;  // of the newest report
  Instant closed_at;
  int reports = 0;
  std::vector<JobId> jobs;  // interrupted by it, in order; at most kIncidentJobsMax are named
  int64_t jobs_hit = 0;     // all of them
  int64_t lost_gpu_ms = 0;  // GPU time of the interrupted attempts
  std::string person;       // who acknowledged or closed it
  std::string note;
  std::vector<IncidentStep> steps;  // the oldest first; at most kIncidentStepsMax
  bool is_lasting = false;  // it ends when its GPU's readings are well again, and not by itself
};

inline constexpr size_t kIncidentJobsMax = 64;
inline constexpr size_t kIncidentStepsMax = 64;
// Closed ones beyond are forgotten, the oldest first
inline constexpr size_t kIncidentsKept = 10'000;

// Whether what is to be done says that the hardware failed, and not a program on it.
bool IsHardwareFailure(GpuRemedy remedy);

const char* Name(IncidentState state);

}  // namespace gp
