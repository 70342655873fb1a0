#pragma once

// What is the matter with one GPU: what was reported lately, and what is to be done about it.  GPUs
// that are well have none of this.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/faults/health.h"
#include "domain/faults/incident.h"
#include "domain/faults/xid.h"
#include "domain/model/ids.h"

namespace gp {

struct GpuKey {
  NodeId node;
  int gpu = 0;  // position in the node
  auto operator<=>(const GpuKey&) const = default;
};

// What a node is told to do with a GPU that nobody uses.
enum class GpuTask { kNone, kReset, kTest };

struct XidMark {
  int xid = 0;
  Instant at;
};

// An error of a program: the first of its user and spec within FaultPolicy::error_window.
struct UserError {
  int xid = 0;
  std::string user;
  uint64_t spec = 0;  // digest of the command and where it runs
  Instant at;
};

struct GpuTrouble {
  GpuRemedy remedy = GpuRemedy::kNone;  // called for and not yet done
  bool is_asked = false;                // by a person: neither budget nor breaker stand against it
  IncidentId incident;                  // that it belongs to; 0: none is open
  GpuTask task = GpuTask::kNone;        // ordered of its node
  uint64_t task_number = 0;             // of the newest task ordered
  Instant hot_at;                       // too hot, the last time; ns == 0: never
  std::vector<Instant> resets;          // that the platform ordered by itself, of the last day
  // Of the last day, two of a number, the newest last; at most kMarksMax
  std::vector<XidMark> xids;
  std::vector<UserError> errors;  // the oldest first; at most kErrorsMax
  // Of its readings, as they were when their codes changed last
  std::vector<HealthFinding> findings;
  // By itself, the last time; ns == 0: not within the breaker's window
  Instant out_of_service_at;
};

// GPUs of a node within it: its cooling fails
inline constexpr Duration kHotTogether = Duration::Minutes(10);
// What comes again within it is repeated
inline constexpr Duration kMarksKept = Duration::Minutes(24 * 60);
inline constexpr size_t kMarksMax = 16;
inline constexpr size_t kErrorsMax = 256;

bool IsEmpty(const GpuTrouble& trouble);
const char* Name(GpuTask task);

}  // namespace gp
