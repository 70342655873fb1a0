#include "experiments/packing/scorers.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

constexpr int kScoreMax = 100;
// The capacity of a full node, so that different resources can be added.
constexpr int64_t kCpuScale = 128'000;
constexpr int64_t kGpuScale = int64_t{kBinGpusMax} * kWholeGpu;

int PartGpu(const Bin& bin, const Shape& shape) {
  return shape.IsPart() ? TightestGpu(bin, shape) : -1;
}

Scored Nothing(const ScoreContext&, const Bin&, const Shape&) { return {}; }

// 100 * (1 - mean over resources of free * requested).
Scored DotProduct(const ScoreContext&, const Bin& bin, const Shape& shape) {
  // Both products over the common denominator of the squares of the scales.
  const int64_t cpu = bin.cpu_milli * shape.cpu_milli * (kGpuScale / 1000) * (kGpuScale / 1000);
  const int64_t gpu = bin.FreeShare() * shape.GpuTotal() * (kCpuScale / 1000) * (kCpuScale / 1000);
  constexpr int64_t kOne = 2 * (kCpuScale / 1000) * (kCpuScale / 1000) * kGpuScale * kGpuScale;
  return {static_cast<int>(kScoreMax * (kOne - cpu - gpu) / kOne), PartGpu(bin, shape)};
}

// 100 * (1 - mean over resources of what would be left).
Scored BestFit(const ScoreContext&, const Bin& bin, const Shape& shape) {
  const int64_t cpu = (bin.cpu_milli - shape.cpu_milli) * kGpuScale;
  const int64_t gpu = (bin.FreeShare() - shape.GpuTotal()) * kCpuScale;
  constexpr int64_t kOne = 2 * kCpuScale * kGpuScale;
  return {static_cast<int>(kScoreMax * (kOne - cpu - gpu) / kOne), PartGpu(bin, shape)};
}

// Shared GPUs first, then idle GPUs of a node in use, an untouched node last.
Scored Packing(const ScoreContext&, const Bin& bin, const Shape& shape) {
  const int gpu = PartGpu(bin, shape);
  if (shape.gpus == 0) return {0, gpu};
  const int idle = bin.IdleGpus();
  if (idle == bin.gpus) return {std::max(kScoreMax / 3 - idle, idle), gpu};
  if (!shape.IsPart() || bin.free[static_cast<size_t>(gpu)] == kWholeGpu) {
    return {std::max(kScoreMax / 2 - shape.gpus, kScoreMax / 3), gpu};
  }
  const int left_percent = bin.free[static_cast<size_t>(gpu)] * 100 / kWholeGpu;
  return {std::max(kScoreMax - left_percent / 10, kScoreMax / 2), gpu};
}

// Tenants of one kind together: first nodes with only that kind, then mixed nodes with it, then
// idle nodes, then others.
Scored Clustering(const ScoreContext&, const Bin& bin, const Shape& shape) {
  const int gpu = PartGpu(bin, shape);
  if (shape.gpus == 0) return {0, gpu};
  const auto kinds = std::ranges::count_if(bin.tenants, [](int32_t count) { return count > 0; });
  const bool has_own = bin.tenants[static_cast<size_t>(KindOf(shape))] > 0;
  const int rank = has_own ? (kinds == 1 ? 3 : 2) : (kinds == 0 ? 1 : 0);
  constexpr int kQuarter = kScoreMax / 4;
  return {static_cast<int>(kQuarter * (kGpuScale - bin.FreeShare()) / kGpuScale) + rank * kQuarter,
          gpu};
}

int Gradient(const ScoreContext& context, const Bin& bin, const Shape& shape, int gpu) {
  Bin after = bin;
  Take(after, shape, gpu);
  return GradientScore(context.before - context.potential(after, context.typical),
                       context.typical.total());
}

// Prefers the least growth of the potential, in kSteps steps.
template <int kSteps>
Scored Descend(const ScoreContext& context, const Bin& bin, const Shape& shape) {
  constexpr int kCoarse = kScoreMax / kSteps;
  if (!shape.IsPart()) return {Gradient(context, bin, shape, -1) / kCoarse, -1};
  Scored best{-1, -1};
  for (int gpu = 0; gpu < bin.gpus; ++gpu) {
    if (bin.free[static_cast<size_t>(gpu)] < shape.share) continue;
    const int score = Gradient(context, bin, shape, gpu) / kCoarse;
    if (score > best.score) best = {score, gpu};
  }
  return best;
}

constexpr std::array kPolicies{
    PackingPolicy{"random", Nothing, nullptr, true, false},
    PackingPolicy{"dotprod", DotProduct, nullptr, false, false},
    PackingPolicy{"clustering", Clustering, nullptr, false, false},
    PackingPolicy{"packing", Packing, nullptr, false, false},
    PackingPolicy{"bestfit", BestFit, nullptr, false, false},
    PackingPolicy{"fgd", Descend<100>, Waste, false, false},
    PackingPolicy{"default", Descend<25>, WasteLessSlots, false, true},
};

}  // namespace

std::span<const PackingPolicy> PackingPolicies() { return kPolicies; }

const PackingPolicy* FindPackingPolicy(std::string_view name) {
  const auto found = std::ranges::find(kPolicies, name, &PackingPolicy::name);
  return found == kPolicies.end() ? nullptr : &*found;
}

}  // namespace gp
