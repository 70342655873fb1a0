#pragma once

// The words for a job's options, the same in job files, flags, JSON and tables. The tables here are
// the only list of them: parser, printer, documentation and schema read them.

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

template <typename Value>
struct Word {
  std::string_view text;
  Value value;
};

inline constexpr Word<Isolation> kIsolationWords[] = {
    {"exclusive", Isolation::kExclusive},
    {"timeslice", Isolation::kTimeslice},
    {"mps", Isolation::kMps},
    {"mig", Isolation::kMig},
};

inline constexpr Word<TopologyLevel> kTopologyLevelWords[] = {
    {"none", TopologyLevel::kNone},
    {"same_numa", TopologyLevel::kSameNuma},
    {"nvlink", TopologyLevel::kNvlink},
    {"same_node", TopologyLevel::kSameNode},
};

inline constexpr Word<LogAction> kLogActionWords[] = {
    {"stop_retries", LogAction::kStopRetries},
    {"exclude_node", LogAction::kExcludeNode},
};

inline constexpr Word<LeaseLoss> kLeaseLossWords[] = {
    {"default", LeaseLoss::kDefault},
    {"stop", LeaseLoss::kStop},
    {"continue", LeaseLoss::kContinue},
};

inline constexpr Word<NetworkAccess> kNetworkWords[] = {
    {"host", NetworkAccess::kHost},
    {"none", NetworkAccess::kNone},
};

inline constexpr Word<MetricAction> kMetricActionWords[] = {
    {"stop", MetricAction::kStop},
    {"restart", MetricAction::kRestart},
    {"complete", MetricAction::kComplete},
};

inline constexpr Word<Launcher> kLauncherWords[] = {
    {"none", Launcher::kNone},
    {"torchrun", Launcher::kTorchrun},
    {"accelerate", Launcher::kAccelerate},
    {"deepspeed", Launcher::kDeepspeed},
    {"mpi", Launcher::kMpi},
    {"horovod", Launcher::kHorovod},
    {"ray", Launcher::kRay},
};

// Signals that a program can handle, with their numbers on Linux.
inline constexpr Word<int> kSignalWords[] = {{"SIGUSR1", 10}, {"SIGUSR2", 12}, {"SIGTERM", 15},
                                             {"SIGINT", 2},   {"SIGHUP", 1},   {"SIGQUIT", 3}};

inline constexpr Word<int> kPriorityWords[] = {{"low", 250}, {"medium", 500}, {"high", 750}};

std::string_view ToText(Isolation isolation);
std::string_view ToText(TopologyLevel level);
std::string_view ToText(LeaseLoss choice);
std::string_view ToText(LogAction action);
std::string_view ToText(MetricAction action);
std::string_view ToText(Launcher launcher);
std::string_view ToText(NetworkAccess access);

// kInvalidArgument: the message names the closest word, or all words.
Result<Isolation> IsolationFromText(std::string_view text);
Result<TopologyLevel> TopologyLevelFromText(std::string_view text);
Result<LeaseLoss> LeaseLossFromText(std::string_view text);
Result<LogAction> LogActionFromText(std::string_view text);
Result<MetricAction> MetricActionFromText(std::string_view text);

// "high" if a word means exactly this priority, otherwise the number.
std::string PriorityToText(int priority);
// A word, or a number from 0 to 1000.
Result<int> PriorityFromText(std::string_view text);

// Thousandths as "0.5", "0.125" or "1".
std::string ShareToText(int thousandths);
// "0.5", "1" or "12.5%" in thousandths; finer values are refused, not rounded.
Result<int> ShareFromText(std::string_view text);

}  // namespace gp
