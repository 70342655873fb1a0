#pragma once

// What follows from an XID, a number by which NVIDIA's driver reports an error: for the jobs on the
// GPU and for the GPU.  The rules are data (data/xid/catalogue.csv); codes that it does not know
// have one too.

#include <optional>
#include <string_view>

namespace gp {

// For the jobs on the GPU, the mildest first.
enum class TenantAction {
  kNone,
  kNote,           // written beside the attempt; its end is the job's own
  kForgive,        // the same, and an end that follows is not charged to the job
  kRestartNamed,   // whoever the report names starts again, free of charge
  kRestartLinked,  // those that use this GPU and others
  kRestartAll,
};

// For the GPU, the mildest first.
enum class GpuRemedy {
  kNone,
  kWatch,          // somebody should know
  kTest,           // no new work; tested when idle
  kResetWhenIdle,  // goes on working; reset as soon as it is idle
  kDrainReset,     // no new work; reset when idle
  kReset,          // its jobs are ended; reset
  kOperator,       // out of service until a person has looked
  kReboot,         // the same, and its node takes no new work: it needs a reboot
};

struct XidRule {
  TenantAction tenants = TenantAction::kForgive;
  GpuRemedy remedy = GpuRemedy::kNone;
  bool counts = false;       // over users, to find GPUs that fail more than others
  bool if_repeated = false;  // the remedy is for the second time within a day
  bool by_text = false;      // the report's text tells how bad it is
  bool operator==(const XidRule&) const = default;
};

// Of codes that nobody has described: the second within a day asks a person.
inline constexpr XidRule kUnknownXid{TenantAction::kForgive, GpuRemedy::kOperator, false, true,
                                     false};

// What the driver itself asks for: NVML field 230, or the text of XID 154.
enum class DriverAdvice {
  kUnknown,
  kNone,
  kGpuReset,
  kNodeReboot,
  kDrainP2p,
  kDrainAndReset,
  kRecoverImex
};

// Whether it asks for anything.
bool Asks(DriverAdvice advice);

const char* Name(TenantAction action);
const char* Name(GpuRemedy remedy);
// What serves both: the stronger, but who is to be tested must not go on working until it is reset.
GpuRemedy Both(GpuRemedy a, GpuRemedy b);
const char* Name(DriverAdvice advice);
std::optional<DriverAdvice> ParseDriverAdvice(std::string_view name);

}  // namespace gp
