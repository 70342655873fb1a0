#pragma once

// One verdict on a GPU's health.  What was read of it becomes findings, each a code with its
// numbers; the policy's table says what follows from each.  Admission, placement, incidents and
// everything that is shown go by it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "domain/faults/xid.h"

namespace gp {

struct FaultPolicy;

// How warm it is: domain/node/heat.h.
enum class Heat {
  kCool,
  kWarm,      // near the temperature at which it slows down
  kHot,       // has been slowed down for its heat, by itself, for long
  kCritical,  // near the temperature at which it turns itself off
};

// What a verdict goes by.  What the driver does not tell is left as it is here.
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
  int64_t unread_s = 0;  // 0: its newest reading is not stale; else so many seconds old
};

// In order of weight, the lightest first.  Journalled by number: new ones go to the end of the
// list.
enum class HealthCode {
  kUnread,  // nothing is known of it now
  kLinkDown,
  kWarm,
  kRecoveryAction,  // the driver asks for something
  kRemapPending,
  kUncorrected,
  kHot,
  kCritical,
  kRemapFailed,
  kLost,
};

// What follows for the GPU, the mildest first.
enum class HealthAction {
  kNone,           // shown, and no more
  kNoLinkedWork,   // granted to work of one GPU only, until it is well again
  kNoNewWork,      // until it is well again
  kResetWhenIdle,  // no new work; reset and tested when idle
  kOperator,       // out of service until a person has looked
};

struct HealthFinding {
  HealthCode code = HealthCode::kUnread;
  int64_t value = 0;
  int64_t limit = 0;  // that the value is held against, where there is one
  bool operator==(const HealthFinding&) const = default;
};

using HealthTable = std::map<HealthCode, HealthAction>;
const HealthTable& DefaultHealthTable();

// In order of their codes; empty: it is well.
std::vector<HealthFinding> Examine(const GpuVitals& vitals);

// What follows from all of them together.
HealthAction ActionOf(const FaultPolicy& policy, const std::vector<HealthFinding>& findings);
HealthAction ActionOf(const FaultPolicy& policy, HealthCode code);
// The one from which most follows; the findings are not empty.
const HealthFinding& WorstOf(const FaultPolicy& policy, const std::vector<HealthFinding>& findings);
// What the action calls for; kNone: nothing but to wait until the GPU is well again.
GpuRemedy RemedyOf(HealthAction action);

const char* Name(HealthCode code);
const char* Name(HealthAction action);
// What an incident is called that is opened for it: without numbers, so that like is counted with
// like.
std::string CauseOf(const HealthFinding& finding);
// In words, as "17 of 18 NVLinks are up".
std::string ToText(const HealthFinding& finding);

inline constexpr int kHealthCodes = static_cast<int>(HealthCode::kLost) + 1;
inline constexpr int kHealthActions = static_cast<int>(HealthAction::kOperator) + 1;

}  // namespace gp
