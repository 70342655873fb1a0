#include "domain/placement/out_of_service.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gp {
namespace {

// The facts with missing GPUs as present.
std::shared_ptr<const NodeFacts> Completed(const std::shared_ptr<const NodeFacts>& facts) {
  const auto is_missing = [](const GpuFacts& gpu) { return gpu.presence == GpuPresence::kMissing; };
  if (std::ranges::none_of(facts->gpus, is_missing)) return facts;
  NodeFacts complete = *facts;
  for (GpuFacts& gpu : complete.gpus) {
    if (is_missing(gpu)) gpu.presence = GpuPresence::kPresent;
  }
  return std::make_shared<const NodeFacts>(std::move(complete));
}

}  // namespace

GpuMask OutOfService(const Node& node, int gpus) {
  GpuMask out = 0;
  for (int i = 0; i < static_cast<int>(node.gpus.size()); ++i) {
    if (!IsRetired(*node.facts, i) && !IsGrantable(node.gpus[static_cast<size_t>(i)], gpus))
      out |= GpuMask{1} << i;
  }
  return out;
}

Node Repaired(const Node& node) {
  Node repaired = node;
  repaired.facts = Completed(node.facts);
  repaired.condition = NodeCondition::kUp;
  repaired.draining = false;
  for (int i = 0; i < static_cast<int>(repaired.gpus.size()); ++i) {
    if (IsRetired(*node.facts, i)) continue;
    repaired.gpus[static_cast<size_t>(i)].condition = GpuCondition::kAvailable;
    repaired.gpus[static_cast<size_t>(i)].draining = false;
  }
  return repaired;
}

const char* WhatAils(const Node& node, int gpu) {
  const auto at = static_cast<size_t>(gpu);
  if (node.facts->gpus[at].presence == GpuPresence::kMissing) return "is missing";
  switch (node.gpus[at].condition) {
    case GpuCondition::kUnknown: return "is not tested yet";
    case GpuCondition::kTesting: return "is being tested";
    case GpuCondition::kAvailable: return "is draining";
    case GpuCondition::kSuspect: return "is suspect";
    case GpuCondition::kQuarantined: return "is quarantined";
    case GpuCondition::kResetting: return "is being reset";
    case GpuCondition::kOffline: return "is offline";
    case GpuCondition::kLost: return "is lost";
    case GpuCondition::kUnlinked:
      return node.gpus[at].draining ? "is draining" : "has an NVLink down";
  }
  return "is out of service";
}

}  // namespace gp
