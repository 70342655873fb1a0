#pragma once

// The health verdict on a GPU. Its readings become findings, each a code with its numbers; the
// policy's table gives the action for each. Admission, placement, incidents and all displays use
// this verdict.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "domain/faults/xid.h"

namespace gp {

struct FaultPolicy;

// How warm a GPU is: domain/node/heat.h.
enum class Heat {
  kCool,
  kWarm,      // near the temperature at which it slows down
  kHot,       // has slowed down for a long time because of heat
  kCritical,  // near the temperature at which it shuts down
};

// The input of a verdict. Values that the driver does not report keep their defaults.
struct GpuVitals {
  bool lost = false;
  bool remap_failed = false;
  Heat heat = Heat::kCool;
  DriverAdvice advice = DriverAdvice::kUnknown;
  int temperature_c = 0;
  bool remap_pending = false;
  int64_t uncorrected = 0;  // memory errors since its last reset
  int links_active = 0;
  int links_total = 0;   // 0: it has no NVLinks
  int64_t unread_s = 0;  // age of its newest reading in seconds; 0: not stale
};

// The mildest first. The journal stores the numbers, so a new code goes to the end, however mild it
// is.
enum class HealthCode {
  kUnread,  // its state is unknown now
  kLinkDown,
  kWarm,
  kRecoveryAction,  // the driver recommends an action
  kRemapPending,
  kUncorrected,
  kHot,
  kCritical,
  kRemapFailed,
  kLost,
};

// What happens to the GPU, the mildest first.
enum class HealthAction {
  kNone,           // only shown
  kNoLinkedWork,   // only for jobs with one GPU on the node, until it has recovered
  kNoNewWork,      // until it has recovered
  kResetWhenIdle,  // no new work; reset and tested when idle
  kOperator,       // out of service until an operator has checked it
};

struct HealthFinding {
  HealthCode code = HealthCode::kUnread;
  int64_t value = 0;
  int64_t limit = 0;  // the limit for the value, if there is one
  bool operator==(const HealthFinding&) const = default;
};
GP_FIELDS(HealthFinding, v.code, v.value, v.limit)

using HealthTable = std::map<HealthCode, HealthAction>;
const HealthTable& DefaultHealthTable();

// In order of code; empty: the GPU is healthy.
std::vector<HealthFinding> Examine(const GpuVitals& vitals);

// The action for all findings together.
HealthAction ActionOf(const FaultPolicy& policy, const std::vector<HealthFinding>& findings);
HealthAction ActionOf(const FaultPolicy& policy, HealthCode code);
// The finding with the strongest action; there must be at least one.
const HealthFinding& WorstOf(const FaultPolicy& policy, const std::vector<HealthFinding>& findings);
// The remedy for the action; kNone: wait until the GPU has recovered.
GpuRemedy RemedyOf(HealthAction action);

const char* Name(HealthCode code);
const char* Name(HealthAction action);
// The cause that an incident is opened with: without numbers, so that equal causes are counted
// together.
std::string CauseOf(const HealthFinding& finding);
// As text: "17 of 18 NVLinks are up".
std::string ToText(const HealthFinding& finding);

inline constexpr int kHealthCodes = static_cast<int>(HealthCode::kLost) + 1;
inline constexpr int kHealthActions = static_cast<int>(HealthAction::kOperator) + 1;

}  // namespace gp
