#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gp {

// Which other scheduler has given this process its place, and how that shows: "Slurm's job 17 (SLURM_JOB_ID)".  nullopt:
// none.  An agent there would hand out GPUs that are the other's to hand out, to jobs that it knows nothing of.
// `variable`: as getenv; `cgroups`: the text of /proc/self/cgroup.
std::optional<std::string> FindOtherScheduler(const std::function<const char*(const char*)>& variable, std::string_view cgroups);
std::optional<std::string> FindOtherScheduler();

}  // namespace gp
