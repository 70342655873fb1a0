#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gp {

enum class OtherSchedulerKind { kSlurm, kKubernetes };

// Who has given this process its place, and how that shows: "Slurm's job 17 (SLURM_JOB_ID)".
struct OtherScheduler {
  OtherSchedulerKind kind = OtherSchedulerKind::kSlurm;
  std::string place;
};

// Which other scheduler has given this process its place; nullopt: none.  A job of Slurm inside a
// pod is Slurm's.  An agent there would hand out GPUs that are the other's to hand out, to jobs
// that it knows nothing of.
// `variable`: as getenv; `cgroups`: the text of /proc/self/cgroup.
std::optional<OtherScheduler> FindOtherScheduler(
    const std::function<const char*(const char*)>& variable, std::string_view cgroups);
std::optional<OtherScheduler> FindOtherScheduler();

}  // namespace gp
