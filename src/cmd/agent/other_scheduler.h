#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gp {

enum class OtherSchedulerKind { kSlurm, kKubernetes };

// The other scheduler, and how it was recognized: "Slurm's job 17 (SLURM_JOB_ID)".
struct OtherScheduler {
  OtherSchedulerKind kind = OtherSchedulerKind::kSlurm;
  std::string place;
};

// The other scheduler in whose allocation this process runs; nullopt: none. A job of Slurm inside a
// pod is Slurm's. An agent there would allocate GPUs that the other scheduler manages, for jobs
// that it knows nothing of. `variable`: as getenv; `cgroups`: the text of /proc/self/cgroup.
std::optional<OtherScheduler> FindOtherScheduler(
    const std::function<const char*(const char*)>& variable, std::string_view cgroups);
std::optional<OtherScheduler> FindOtherScheduler();

}  // namespace gp
