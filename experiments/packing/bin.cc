#include "experiments/packing/bin.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace gp {

int KindOf(const Shape& shape) { return shape.IsPart() ? 0 : shape.gpus; }

int64_t Bin::FreeShare() const {
  return std::accumulate(free.begin(), free.begin() + gpus, int64_t{0});
}

int Bin::IdleGpus() const {
  return static_cast<int>(std::count(free.begin(), free.begin() + gpus, kWholeGpu));
}

bool GpusFit(const Bin& bin, const Shape& shape) {
  if (shape.gpus == 0) return true;
  if (shape.models != 0 && (shape.models >> bin.model & 1) == 0) return false;
  const auto fits = [&](int16_t free) { return free >= shape.share; };
  return std::count_if(bin.free.begin(), bin.free.begin() + bin.gpus, fits) >= shape.gpus;
}

bool Fits(const Bin& bin, const Shape& shape) {
  return bin.cpu_milli >= shape.cpu_milli && bin.memory_mib >= shape.memory_mib &&
         GpusFit(bin, shape);
}

int TightestGpu(const Bin& bin, const Shape& shape) {
  int best = -1;
  for (int i = 0; i < bin.gpus; ++i) {
    const auto at = static_cast<size_t>(i);
    if (bin.free[at] < shape.share) continue;
    if (best < 0 || bin.free[at] < bin.free[static_cast<size_t>(best)]) best = i;
  }
  GP_ASSERT(best >= 0, "a shape is taken only where it fits");
  return best;
}

void Take(Bin& bin, const Shape& shape, int gpu) {
  bin.cpu_milli -= shape.cpu_milli;
  bin.memory_mib -= shape.memory_mib;
  if (shape.gpus > 0) ++bin.tenants[static_cast<size_t>(KindOf(shape))];
  if (shape.IsPart()) {
    bin.free[static_cast<size_t>(gpu)] =
        static_cast<int16_t>(bin.free[static_cast<size_t>(gpu)] - shape.share);
    return;
  }
  int left = shape.gpus;
  for (int i = 0; i < bin.gpus && left > 0; ++i) {
    int16_t& free = bin.free[static_cast<size_t>(i)];
    if (free != kWholeGpu) continue;
    free = 0;
    --left;
  }
  GP_ASSERT(left == 0, "a shape is taken only where it fits");
}

}  // namespace gp
