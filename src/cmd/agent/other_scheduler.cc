#include "cmd/agent/other_scheduler.h"

#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

using VariableLookup = std::function<const char*(const char*)>;

// The part of the path behind the marker, up to the next slash.
std::string WordBehind(std::string_view path, std::string_view marker) {
  const size_t at = path.find(marker) + marker.size();
  return std::string(path.substr(at, path.find_first_of("/\n", at) - at));
}

std::vector<std::string> PathsIn(std::string_view cgroups) {
  std::vector<std::string> paths;
  for (const std::string& line : Split(cgroups, '\n')) {
    paths.push_back(line.substr(line.rfind(':') + 1));
  }
  return paths;
}

std::optional<std::string> FindSlurmJob(const VariableLookup& variable, std::string_view cgroups) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) {
    const char* job = variable(name);
    if (job == nullptr || *job == '\0') continue;
    return "Slurm's job " + Printable(job, 40) + " (" + name + ")";
  }
  // A process may have cleared its environment, but it cannot leave its control group.
  for (const std::string& path : PathsIn(cgroups)) {
    const bool is_slurms = path.find("slurm") != std::string::npos;
    if (!is_slurms || path.find("/job_") == std::string::npos) continue;
    return "Slurm's job " + Printable(WordBehind(path, "/job_"), 40) + " (cgroup " +
           Printable(path, 200) + ")";
  }
  return std::nullopt;
}

std::optional<std::string> FindPod(const VariableLookup& variable, std::string_view cgroups) {
  const char* service = variable("KUBERNETES_SERVICE_HOST");
  if (service != nullptr && *service != '\0') {
    return "a pod of Kubernetes (KUBERNETES_SERVICE_HOST)";
  }
  for (const std::string& path : PathsIn(cgroups)) {
    if (path.find("kubepods") == std::string::npos) continue;
    return "a pod of Kubernetes (cgroup " + Printable(path, 200) + ")";
  }
  return std::nullopt;
}

}  // namespace

std::optional<OtherScheduler> FindOtherScheduler(const VariableLookup& variable,
                                                 std::string_view cgroups) {
  if (const auto job = FindSlurmJob(variable, cgroups)) {
    return OtherScheduler{OtherSchedulerKind::kSlurm, *job};
  }
  if (const auto pod = FindPod(variable, cgroups)) {
    return OtherScheduler{OtherSchedulerKind::kKubernetes, *pod};
  }
  return std::nullopt;
}

std::optional<OtherScheduler> FindOtherScheduler() {
  return FindOtherScheduler([](const char* name) { return std::getenv(name); },
                            ReadTextFile("/proc/self/cgroup").value_or(""));
}

}  // namespace gp
