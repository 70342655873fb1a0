#include "cmd/other_scheduler.h"

#include <cstdlib>

#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// The part of the path behind the marker, up to the next slash.
std::string WordBehind(std::string_view path, std::string_view marker) {
  const size_t at = path.find(marker) + marker.size();
  return std::string(path.substr(at, path.find_first_of("/\n", at) - at));
}

}  // namespace

std::optional<std::string> FindOtherScheduler(const std::function<const char*(const char*)>& variable, std::string_view cgroups) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) {
    const char* job = variable(name);
    if (job != nullptr && *job != '\0') return "Slurm's job " + Printable(job, 40) + " (" + name + ")";
  }
  const char* service = variable("KUBERNETES_SERVICE_HOST");
  if (service != nullptr && *service != '\0') return "a pod of Kubernetes (KUBERNETES_SERVICE_HOST)";
  // A process may have cleaned its environment; out of its control group it does not come.
  for (const std::string& line : Split(cgroups, '\n')) {
    const std::string path = line.substr(line.rfind(':') + 1);
    if (path.find("slurm") != std::string::npos && path.find("/job_") != std::string::npos) return "Slurm's job " + Printable(WordBehind(path, "/job_"), 40) + " (cgroup " + Printable(path, 200) + ")";
    if (path.find("kubepods") != std::string::npos) return "a pod of Kubernetes (cgroup " + Printable(path, 200) + ")";
  }
  return std::nullopt;
}

std::optional<std::string> FindOtherScheduler() {
  return FindOtherScheduler([](const char* name) { return std::getenv(name); }, ReadTextFile("/proc/self/cgroup").value_or(""));
}

}  // namespace gp
