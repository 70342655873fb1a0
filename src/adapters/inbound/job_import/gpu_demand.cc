#include "adapters/inbound/job_import/gpu_demand.h"

#include "adapters/inbound/job_import/draft.h"
#include "base/text.h"

namespace gp {

std::string AddName(const NamedGpu& gpu, GpuDemand& demand) {
  demand.models = gpu.models;
  if (gpu.memory) demand.memory_min = *gpu.memory;
  if (!gpu.mig) return "";
  demand.mig = *gpu.mig;
  if (demand.count <= 1) return "";
  const std::string asked = std::to_string(demand.count);
  demand.count = 1;
  return asked + " instances are requested, and a job gets one on each node: set nodes: " + asked +
         ", or a larger profile";
}

std::optional<std::string> ShareOfPercent(std::string_view percent) {
  const auto parsed = ParseCount(percent);
  if (!parsed || *parsed < 1) return std::nullopt;
  if (*parsed >= 100) return "1";
  const std::string digits = std::to_string(*parsed);
  const std::string decimals = digits.size() == 1 ? "0" + digits : digits;
  return "0." + (decimals.ends_with('0') ? decimals.substr(0, 1) : decimals);
}

void PutGpus(const GpuDemand& demand, YamlNode& job_file) {
  const bool is_count =
      demand.count == 0 || (demand.models.empty() && demand.memory_min.empty() &&
                            demand.share.empty() && demand.memory.empty() && demand.mig.empty());
  if (is_count) return Put(job_file, {"resources", "gpus"}, Plain(std::to_string(demand.count)));
  const auto put = [&](const char* key, YamlNode value) {
    Put(job_file, {"resources", "gpus", key}, std::move(value));
  };
  if (demand.models.size() == 1) put("model", Text(demand.models.front()));
  if (demand.models.size() > 1) put("model", TextList(demand.models));
  put("count", Plain(std::to_string(demand.count)));
  if (!demand.share.empty()) put("share", Plain(demand.share));
  if (!demand.memory.empty()) put("memory", Plain(demand.memory));
  if (!demand.memory_min.empty()) put("memory_min", Plain(demand.memory_min));
  if (!demand.mig.empty()) put("mig", Text(demand.mig));
  if (!demand.isolation.empty()) put("isolation", Text(demand.isolation));
}

}  // namespace gp
