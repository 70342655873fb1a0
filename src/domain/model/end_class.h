#pragma once

// Why an attempt ended, sorted by what it tells: whose doing it was, and whether to try again.

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

enum class EndClass {
  kNone,  // it has not ended
  kCompleted,
  kExitCode,       // the program ended with a code other than 0
  kSignal,         // the program was ended by a signal that nobody of us sent
  kHostMemory,     // it needed more than its limit
  kGpuMemory,      // its log says that a GPU's memory was used up
  kCommunication,  // its log says that its ranks lost each other: a time-out of NCCL or the like
  kHang,           // no progress for longer than it allowed
  kCouldNotStart,  // no such program, working directory …
  kGpuError,       // the driver reported an error of a GPU that excuses it
  kNodeLost,
  kPlatform,  // isolation, prolog, supervisor: not its own doing
  kPreempted,
  kMoved,
  kDrained,
  kTimeLimit,
  kCancelled,
  kUnderUse,  // it left its GPUs idle for longer than the policy allows
  kBudget,    // a budget that counts for it was used up
};

// Who answers for the end, and so for the retry that follows it.
enum class EndCharge { kNobody, kUser, kHardware, kPlatform };

EndCharge ChargeOf(EndClass end);

const char* Name(EndClass end);
const char* Name(EndCharge charge);

// What to do when a line of the job's output matches.
enum class LogAction {
  kStopRetries,  // it is not started again: it would fail again
  kExcludeNode,  // it is started again, and never there
};

struct LogRule {
  std::string pattern;  // RE2, found anywhere in a line
  LogAction action = LogAction::kStopRetries;
  bool operator==(const LogRule&) const = default;
};

inline constexpr size_t kLogRulesMax = 16;
inline constexpr size_t kLogPatternMax = 512;

// What the end of an attempt's output gives away.
struct LogClues {
  bool gpu_memory = false;
  bool communication = false;
  std::vector<int> rules;  // of its LogRules, those that matched, in order
  std::string last_error;  // the last line that reads like one; empty: none does
  // Its MPS server had failed, or other clients failed with it: it may be another's error
  bool mps_failed = false;
  bool operator==(const LogClues&) const = default;
};

inline constexpr size_t kLastErrorMax = 400;

}  // namespace gp
