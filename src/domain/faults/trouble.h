#pragma once

// The problems of one GPU: recent reports and the remedy. Healthy GPUs have no such record.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
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
GP_FIELDS(GpuKey, v.node, v.gpu)

// What a node must do with an unused GPU.
enum class GpuTask { kNone, kReset, kTest };

struct XidMark {
  int xid = 0;
  Instant at;
};
GP_FIELDS(XidMark, v.xid, v.at)

// An error of a program: the first of its user and spec within FaultPolicy::error_window.
struct UserError {
  int xid = 0;
  std::string user;
  uint64_t spec = 0;  // digest of the command and working directory
  Instant at;
};
GP_FIELDS(UserError, v.xid, v.user, v.spec, v.at)

struct GpuTrouble {
  GpuRemedy remedy = GpuRemedy::kNone;  // needed and not yet done
  bool is_requested = false;            // by an operator: neither budget nor breaker prevents it
  IncidentId incident;                  // that it belongs to; 0: none is open
  GpuTask task = GpuTask::kNone;        // ordered from its node
  uint64_t task_number = 0;             // of the newest task ordered
  Instant hot_at;                       // when it was last too hot; ns == 0: never
  std::vector<Instant> resets;          // automatic resets of the last day
  // Of the last day, two for each number, the newest last; at most kMarksMax
  std::vector<XidMark> xids;
  std::vector<UserError> errors;  // the oldest first; at most kErrorsMax
  // Findings in its readings when their codes last changed
  std::vector<HealthFinding> findings;
  // Last automatic removal from service; ns == 0: not within the breaker's window
  Instant out_of_service_at;
};
GP_FIELDS(GpuTrouble, v.remedy, v.is_requested, v.incident, v.task, v.task_number, v.resets, v.xids,
          v.errors, v.hot_at, Since<17>(v.findings), Since<17>(v.out_of_service_at))

// Several hot GPUs of a node within this time: its cooling fails
inline constexpr Duration kHotTogether = Duration::Minutes(10);
// An error that returns within this time is repeated
inline constexpr Duration kMarksKept = Duration::Minutes(24 * 60);
inline constexpr size_t kMarksMax = 16;
inline constexpr size_t kErrorsMax = 256;

bool IsEmpty(const GpuTrouble& trouble);
const char* Name(GpuTask task);

}  // namespace gp
