#include "simulation/run/gpu_levels.h"

namespace gp {
namespace {

void Add(GpuLevel& sum, const GpuLevel& level, int sign) {
  sum.installed += sign * level.installed;
  sum.serving += sign * level.serving;
  sum.held += sign * level.held;
}

std::map<std::string, GpuLevel> PartsOf(const Node& node) {
  std::map<std::string, GpuLevel> parts;
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    const bool serves = node.condition == NodeCondition::kUp && !node.draining && IsGrantable(gpu);
    Add(parts[node.facts->gpus[i].model], {1, serves ? 1 : 0, gpu.share_granted}, 1);
  }
  return parts;
}

}  // namespace

void GpuLevels::Follow(const State& state) {
  changed_.clear();
  const auto first = state.nodes.by_change.upper_bound({seen_, NodeId{~uint32_t{0}}});
  for (auto change = first; change != state.nodes.by_change.end(); ++change)
    Count(*state.FindNode(change->second));
  seen_ = state.nodes.changes;
}

void GpuLevels::Count(const Node& node) {
  const size_t at = node.id.value;
  if (at >= by_node_.size()) {
    by_node_.resize(at + 1);
    parts_.resize(at + 1);
  }
  for (const auto& [model, part] : parts_[at]) Add(by_model_[model], part, -1);
  parts_[at] = PartsOf(node);
  by_node_[at] = {};
  for (const auto& [model, part] : parts_[at]) {
    Add(by_model_[model], part, 1);
    Add(by_node_[at], part, 1);
  }
  changed_.push_back(node.id);
}

GpuLevel GpuLevels::total() const {
  GpuLevel total;
  for (const auto& [model, level] : by_model_) Add(total, level, 1);
  return total;
}

}  // namespace gp
