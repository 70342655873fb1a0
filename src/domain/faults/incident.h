#pragma once

// An incident: one cause, what was done about it and when, and what it cost which jobs. A fault
// opens it, its remedy or an operator closes it, and it is remembered for a while.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "domain/faults/xid.h"
#include "domain/model/ids.h"

namespace gp {

enum class IncidentState { kOpen, kAcknowledged, kClosed };

struct IncidentStep {
  Instant at;
  std::string what;
};
GP_FIELDS(IncidentStep, v.at, v.what)

struct Incident {
  IncidentId id;
  IncidentState state = IncidentState::kOpen;
  std::string cause;  // "XID 79": the first cause
  std::string pool;   // of its node at that time
  std::string node;   // its name; empty: the incident concerns the whole pool
  int gpu = -1;       // position in the node; -1: the whole node or pool
  std::string uuid;
  GpuRemedy remedy = GpuRemedy::kNone;  // the strongest that was needed
  bool needs_person = false;            // nothing more happens automatically
  Instant opened_at;
  Instant last_at;  // of the newest report
  Instant closed_at;
  int reports = 0;
  std::vector<JobId> jobs;  // interrupted by it, in order; at most kIncidentJobsMax are listed
  int64_t jobs_hit = 0;     // number of all of them
  int64_t lost_gpu_ms = 0;  // GPU time of the interrupted attempts
  std::string person;       // the operator who acknowledged or closed it
  std::string note;
  std::vector<IncidentStep> steps;  // the oldest first; at most kIncidentStepsMax
  bool is_lasting = false;          // it ends when the readings of its GPU are healthy, not by time
};
GP_FIELDS(Incident, v.id, v.state, v.cause, v.pool, v.node, v.gpu, v.uuid, v.remedy, v.needs_person,
          v.opened_at, v.last_at, v.closed_at, v.reports, v.jobs, v.jobs_hit, v.lost_gpu_ms,
          v.person, v.note, v.steps, Since<17>(v.is_lasting))

inline constexpr size_t kIncidentJobsMax = 64;
inline constexpr size_t kIncidentStepsMax = 64;
// Older closed incidents are forgotten
inline constexpr size_t kIncidentsKept = 10'000;

// Whether the remedy means that the hardware failed, not a program.
bool IsHardwareFailure(GpuRemedy remedy);

const char* Name(IncidentState state);

}  // namespace gp
