#pragma once

// What follows from an XID, the number of an error that NVIDIA's driver reports: for the jobs on
// the GPU and for the GPU. The rules are data (data/xid/catalogue.csv); there is a rule for unknown
// codes.

#include <optional>
#include <string_view>

#include "base/fields.h"

namespace gp {

// For the jobs on the GPU, the mildest first.
enum class TenantAction {
  kNone,
  kNote,           // recorded with the attempt; its end is charged to the job
  kForgive,        // the same, but an end that follows is not charged to the job
  kRestartNamed,   // the job that the report names restarts, free of charge
  kRestartLinked,  // all jobs that use this GPU and others restart
  kRestartAll,
};

// For the GPU, the mildest first.
enum class GpuRemedy {
  kNone,
  kWatch,          // only reported
  kTest,           // no new work; tested when idle
  kResetWhenIdle,  // continues to work; reset when idle
  kDrainReset,     // no new work; reset when idle
  kReset,          // its jobs are stopped; then reset
  kOperator,       // out of service until an operator has checked it
  kReboot,         // the same, and its node takes no new work until it is rebooted
};

struct XidRule {
  TenantAction tenants = TenantAction::kForgive;
  GpuRemedy remedy = GpuRemedy::kNone;
  bool counts = false;       // counted over users, to find GPUs that fail more than others
  bool if_repeated = false;  // the remedy applies from the second time within a day
  bool by_text = false;      // the text of the report says how severe it is
  bool operator==(const XidRule&) const = default;
};
GP_FIELDS(XidRule, v.tenants, v.remedy, v.counts, v.if_repeated, v.by_text)

// For unknown codes: the second one within a day requires an operator.
inline constexpr XidRule kUnknownXid{TenantAction::kForgive, GpuRemedy::kOperator, false, true,
                                     false};

// What the driver recommends: NVML field 230, or the text of XID 154.
enum class DriverAdvice {
  kUnknown,
  kNone,
  kGpuReset,
  kNodeReboot,
  kDrainP2p,
  kDrainAndReset,
  kRecoverImex
};

// Whether the driver recommends an action.
bool Asks(DriverAdvice advice);

const char* Name(TenantAction action);
const char* Name(GpuRemedy remedy);
// A remedy that covers both: the stronger one, but a GPU that needs a test must not work on until a
// reset.
GpuRemedy Both(GpuRemedy a, GpuRemedy b);
const char* Name(DriverAdvice advice);
std::optional<DriverAdvice> ParseDriverAdvice(std::string_view name);

}  // namespace gp
