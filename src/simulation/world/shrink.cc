#include "simulation/world/shrink.h"

#include <algorithm>
#include <vector>

namespace gp {
namespace {

using Positions = std::set<size_t> WorldPart::*;

// Leaves out `count` positions, starting at `first`.
WorldPart Without(const WorldPart& part, Positions which, size_t first, size_t count) {
  const std::vector<size_t> all((part.*which).begin(), (part.*which).end());
  WorldPart smaller = part;
  for (size_t i = first; i < std::min(first + count, all.size()); ++i)
    (smaller.*which).erase(all[i]);
  return smaller;
}

std::string ListOf(const std::set<size_t>& positions) {
  std::string text;
  for (const size_t position : positions)
    text += (text.empty() ? "" : ",") + std::to_string(position);
  return text.empty() ? "none" : text;
}

}  // namespace

WorldPart Shrink(WorldPart part, int tries_max,
                 const std::function<bool(const WorldPart&)>& breaks) {
  for (const Positions which : {&WorldPart::mishaps, &WorldPart::jobs}) {
    for (size_t count = (part.*which).size(); count > 0; count /= 2) {
      for (size_t first = 0; first < (part.*which).size() && tries_max > 0; --tries_max) {
        const WorldPart smaller = Without(part, which, first, count);
        // The next positions have moved to `first`.
        if (breaks(smaller)) {
          part = smaller;
        } else {
          first += count;
        }
      }
    }
  }
  return part;
}

std::string CommandFor(const WorldPlan& plan) {
  return "gpu-platform simulate world --seed " + std::to_string(plan.seed) +
         (plan.controllers == 1 ? "" : " --controllers " + std::to_string(plan.controllers));
}

std::string TellPart(const WorldPlan& plan, const WorldPart& part) {
  std::string text =
      CommandFor(plan) + " --jobs " + ListOf(part.jobs) + " --mishaps " + ListOf(part.mishaps);
  for (const size_t i : part.mishaps) {
    const Mishap& mishap = plan.mishaps[i];
    text += "\n    " + std::to_string(i) + " after " + ToText(mishap.after) + ": " +
            Name(mishap.kind) + " (host " + std::to_string(mishap.host) + ", GPU " +
            std::to_string(mishap.gpu) + ", for " + ToText(mishap.lasts) + ")";
  }
  return text;
}

}  // namespace gp
