#pragma once

// Why an attempt ended, sorted by what follows: who is responsible, and whether to retry.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"

namespace gp {

enum class EndClass {
  kNone,  // it has not ended
  kCompleted,
  kExitCode,       // the program ended with a code other than 0
  kSignal,         // a signal ended the program, and the platform did not send it
  kHostMemory,     // it exceeded its memory limit
  kGpuMemory,      // its log says that the memory of a GPU was exhausted
  kCommunication,  // its log says that its ranks lost each other: an NCCL timeout or similar
  kHang,           // no progress for longer than the job allows
  kCouldNotStart,  // no such program, working directory …
  kGpuError,       // the driver reported a GPU error that excuses the job
  kNodeLost,
  kPlatform,  // isolation, prolog, supervisor: not the job's own failure
  kPreempted,
  kMoved,
  kDrained,
  kTimeLimit,
  kCancelled,
  kUnderUse,  // its GPUs were idle for longer than the policy allows
  kBudget,    // a budget that applies to it was used up
  kMetric,    // what it reported met a condition of its own
};

// Who is responsible for the end, and so for the retry that follows.
enum class EndCharge { kNobody, kUser, kHardware, kPlatform };

EndCharge ChargeOf(EndClass end);

const char* Name(EndClass end);
const char* Name(EndCharge charge);

// What to do when a line of the job's output matches.
enum class LogAction {
  kStopRetries,  // no retry: it would fail again
  kExcludeNode,  // retry, but never on this node
};

struct LogRule {
  std::string pattern;  // RE2, found anywhere in a line
  LogAction action = LogAction::kStopRetries;
  bool operator==(const LogRule&) const = default;
};
GP_FIELDS(LogRule, v.pattern, v.action)

inline constexpr size_t kLogRulesMax = 16;
inline constexpr size_t kLogPatternMax = 512;

// What the end of an attempt's output says about the cause.
struct LogClues {
  bool gpu_memory = false;
  bool communication = false;
  std::vector<int> rules;  // the job's LogRules that matched, in order
  std::string last_error;  // the last line that looks like an error; empty: none
  // Its MPS server failed, or other clients failed with it: the error may be another client's
  bool mps_failed = false;
  bool operator==(const LogClues&) const = default;
};
GP_FIELDS(LogClues, v.gpu_memory, v.communication, v.rules, v.last_error, Since<17>(v.mps_failed))

inline constexpr size_t kLastErrorMax = 400;

}  // namespace gp
