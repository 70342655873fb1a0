#include "adapters/inbound/api/gpu_name.h"

#include <vector>

#include "base/text.h"

namespace gp {
namespace {

bool Means(const Node& node, size_t index, const std::string& text) {
  const GpuFacts& gpu = node.facts->gpus[index];
  return gpu.uuid.starts_with(text) || text == node.facts->name + "/" + std::to_string(index) ||
         (!gpu.pci_bus_id.empty() && gpu.pci_bus_id == text);
}

}  // namespace

Result<GpuPlace> FindGpu(const State& state, const std::string& text) {
  std::vector<GpuPlace> found;
  std::vector<std::string> names;
  for (const Node& node : state.nodes.all) {
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      if (IsRetired(*node.facts, static_cast<int>(i))) continue;
      const std::string& uuid = node.facts->gpus[i].uuid;
      names.push_back(uuid);
      if (uuid == text) return GpuPlace{node.id, static_cast<int>(i)};
      if (!text.empty() && Means(node, i, text)) found.push_back({node.id, static_cast<int>(i)});
    }
  }
  if (found.size() == 1) return found.front();
  const std::string shown = "\"" + Printable(text, 60) + "\"";
  if (found.size() > 1) {
    return Fail(InvalidArgument(shown + " means " + std::to_string(found.size()) +
                                " GPUs: give more of the UUID, or node/index"));
  }
  const auto near = Nearest(text, names);
  return Fail(
      NotFound("no GPU " + shown +
               (near ? ": did you mean " + *near + "?" : "; gpu-platform gpus list names them")));
}

Result<NodeId> FindNodeByName(const State& state, const std::string& name) {
  const auto found = state.nodes.by_name.find(name);
  if (found != state.nodes.by_name.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, id] : state.nodes.by_name) names.push_back(known);
  const auto near = Nearest(name, names);
  return Fail(NotFound("no node \"" + Printable(name, 60) + "\"" +
                       (near ? ": did you mean " + *near + "?" : "")));
}

}  // namespace gp
