#include "cmd/demo/demo_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "cmd/agent/machine_sources.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

Result<int> CountGpus(const MachineSources& sources) {
  const DriverInventory inventory = GP_TRY(sources.driver->Inventory());
  const HostFacts host = GP_TRY(sources.host->Read());
  return static_cast<int>(inventory.gpus.size());
}

// Of the form that the API gives: "2026-03-01T12:00:00.123Z".
int64_t ToMilliseconds(const std::string& rfc3339) {
  std::tm utc{};
  const char* rest = strptime(rfc3339.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (rest == nullptr) return 0;
  const int64_t fraction = *rest == '.' ? std::atoi(rest + 1) : 0;
  return static_cast<int64_t>(timegm(&utc)) * 1000 + fraction;
}

std::string Figure(const std::string& name, double ms, const std::string& what) {
  return fmt::format("{:<20} {:7.1f} ms   {}", name, ms, what);
}

std::string Middle(const std::string& name, std::vector<double> ms, const std::string& what) {
  if (ms.empty()) return fmt::format("{:<20} {:>7}      {}", name, "–", what);
  std::ranges::sort(ms);
  return Figure(name, ms[(ms.size() - 1) / 2],
                fmt::format("{}; median of {}, longest {:.1f} ms", what, ms.size(), ms.back()));
}

// From the end of the last job in its way to the start of the gang's last rank.
std::string GangStart(const std::vector<DemoJob>& jobs) {
  int64_t free = 0;
  for (const DemoJob& job : jobs) {
    if (job.role != DemoRole::kWholeGang) {
      free = std::max(free, ToMilliseconds(job.seen.ended_at()));
    }
  }
  const v1::Job& gang = jobs.back().seen;
  if (!gang.has_started_at()) return Middle("last GPU to gang", {}, "it never started");
  return Figure("last GPU to gang", static_cast<double>(ToMilliseconds(gang.started_at()) - free),
                "from the end of the job that held it to the exec of every rank");
}

}  // namespace

double MillisecondsSince(int64_t begin_boot_ns) {
  return static_cast<double>(SystemClock().BootNs() - begin_boot_ns) / 1e6;
}

Result<DemoDiscovery> TimeDiscovery(const std::string& nvml, bool simulate,
                                    const std::string& machine) {
  DemoDiscovery found;
  int64_t begin = SystemClock().BootNs();
  if (!simulate) {
    const auto sources = OpenThisMachine(nvml);
    const Result<int> gpus = sources ? CountGpus(*sources) : Result<int>(Fail(sources.error()));
    if (gpus && *gpus > 0) return DemoDiscovery{true, *gpus, MillisecondsSince(begin), ""};
    found.why_not = gpus ? "the driver knows of no GPU" : gpus.error().message;
  }
  begin = SystemClock().BootNs();
  const MachineSources sources = GP_TRY(OpenSimulatedMachine(machine));
  found.gpus = GP_TRY(CountGpus(sources));
  found.ms = MillisecondsSince(begin);
  return found;
}

std::vector<std::string> DemoFigures(const DemoDiscovery& discovery,
                                     const std::vector<DemoJob>& jobs) {
  std::vector<double> acknowledged;
  std::vector<double> started;
  for (const DemoJob& job : jobs) {
    acknowledged.push_back(job.acknowledged_ms);
    for (const v1::Attempt& attempt : job.seen.attempts()) {
      if (attempt.has_start_seconds()) started.push_back(attempt.start_seconds() * 1000);
    }
  }
  return {Figure("discovery", discovery.ms,
                 fmt::format("driver loaded, host and its GPUs read ({})", discovery.gpus)),
          Middle("submit acknowledged", acknowledged, "call to answer, on disk"),
          Middle("allocation to exec", started, "of every rank"), GangStart(jobs)};
}

}  // namespace gp
