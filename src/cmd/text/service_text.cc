#include "cmd/text/service_text.h"

#include "base/text.h"

namespace gp {
namespace {

std::string OutcomeLine(const FoundGpu& target, bool is_online) {
  const v1::Gpu& gpu = *target.gpu;
  std::string text = fmt::format("{}/{} {}", target.node->name(), gpu.index(), StateText(gpu));
  if (gpu.holders_size() > 0) {
    text += fmt::format(": {} {} ({})", Count(gpu.holders_size(), "job"),
                        is_online ? "on it" : "left", gpu.holders(0).job_id());
  }
  if (is_online && gpu.detail() != "AVAILABLE" && !gpu.reason().empty())
    text += ": " + Printable(gpu.reason(), 200);
  return text;
}

}  // namespace

bool IsGpuName(const std::string& target) {
  return target.find('/') != std::string::npos || target.find(':') != std::string::npos ||
         target.starts_with("GPU-");
}

void NameTarget(const std::string& target, v1::ChangeServiceRequest& request) {
  if (IsGpuName(target))
    request.set_gpu(target);
  else
    request.set_node(target);
}

// The GPUs of the request, in the cluster's current state.
std::vector<FoundGpu> ServiceTargets(const v1::Cluster& cluster,
                                     const v1::ChangeServiceRequest& request) {
  std::vector<FoundGpu> targets;
  if (!request.gpu().empty()) {
    const FoundGpu found = FindGpu(cluster, request.gpu());
    if (found.gpu != nullptr) targets.push_back(found);
    return targets;
  }
  for (const v1::Node& node : cluster.nodes()) {
    if (node.name() != request.node()) continue;
    for (const v1::Gpu& gpu : node.gpus()) targets.push_back({&node, &gpu});
  }
  return targets;
}

std::vector<std::string> OutcomeLines(const v1::Cluster& cluster,
                                      const v1::ChangeServiceRequest& request) {
  const bool is_online = request.action() == v1::ChangeServiceRequest::ONLINE;
  const std::vector<FoundGpu> targets = ServiceTargets(cluster, request);
  std::vector<std::string> lines;
  for (const FoundGpu& target : targets) lines.push_back(OutcomeLine(target, is_online));
  if (!is_online || targets.empty() || !targets.front().node->draining()) return lines;
  const v1::Node& node = *targets.front().node;
  lines.push_back(fmt::format(
      "{} still drains: {}; nothing new starts there before gpu-platform online --node {}",
      node.name(), Printable(node.reason(), 200), node.name()));
  return lines;
}

}  // namespace gp
