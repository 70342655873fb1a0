#include "experiments/packing/fragmentation.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

// logit(s / 100) for s = 1 … 99, in billionths: where the sigmoid reaches each whole score.
constexpr std::array<int64_t, 99> kLogit{
    -4595119850, -3891820298, -3476098690, -3178053830, -2944438979, -2751535313, -2586689344,
    -2442347035, -2313634929, -2197224577, -2090741097, -1992430165, -1900958761, -1815289967,
    -1734601055, -1658228077, -1585627264, -1516347489, -1450010176, -1386294361, -1324925415,
    -1265666373, -1208311206, -1152679510, -1098612289, -1045968555, -994622575,  -944461609,
    -895384047,  -847297860,  -800119300,  -753771802,  -708185058,  -663294217,  -619039208,
    -575364145,  -532216814,  -489548225,  -447312218,  -405465108,  -363965377,  -322773392,
    -281851152,  -241162057,  -200670695,  -160342650,  -120144312,  -80042708,   -40005335,
    0,           40005335,    80042708,    120144312,   160342650,   200670695,   241162057,
    281851152,   322773392,   363965377,   405465108,   447312218,   489548225,   532216814,
    575364145,   619039208,   663294217,   708185058,   753771802,   800119300,   847297860,
    895384047,   944461609,   994622575,   1045968555,  1098612289,  1152679510,  1208311206,
    1265666373,  1324925415,  1386294361,  1450010176,  1516347489,  1585627264,  1658228077,
    1734601055,  1815289967,  1900958761,  1992430165,  2090741097,  2197224577,  2313634929,
    2442347035,  2586689344,  2751535313,  2944438979,  3178053830,  3476098690,  3891820298,
    4595119850,
};

bool CouldRun(const Bin& bin, const Shape& shape) {
  return shape.gpus > 0 && bin.cpu_milli >= shape.cpu_milli && GpusFit(bin, shape);
}

// How many more workloads of the shape fit in the bin, regardless of host memory.
int64_t Slots(const Bin& bin, const Shape& shape) {
  if (shape.gpus == 0 || !GpusFit(bin, shape)) return 0;
  int64_t slots = 0;
  if (shape.IsPart()) {
    for (int i = 0; i < bin.gpus; ++i) slots += bin.free[static_cast<size_t>(i)] / shape.share;
  } else {
    slots = bin.IdleGpus() / shape.gpus;
  }
  return shape.cpu_milli == 0 ? slots : std::min(slots, bin.cpu_milli / shape.cpu_milli);
}

// (ratio / 1000) ^ 1.5, in thousandths.
int64_t ToPower15(int64_t ratio) {
  const int64_t square = ratio * ratio * ratio / 1'000;
  int64_t root = 0;
  for (int64_t bit = int64_t{1} << 30; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

}  // namespace

void TypicalShapes::Weigh(const std::vector<Bin>& empty) {
  constexpr int64_t kRatioMax = 1'000'000;  // a thousandth of the GPUs or less counts alike
  int64_t all = 0;
  for (const Bin& bin : empty) all += bin.gpus;
  for (TypicalShape& one : list_) {
    int64_t usable = 0;
    for (const Bin& bin : empty)
      usable += one.shape.gpus > 0 && GpusFit(bin, one.shape) ? bin.gpus : 0;
    one.scarcity = usable == 0 ? 0 : ToPower15(std::min(all * 1'000 / usable, kRatioMax));
  }
}

void ShapeCounts::Add(Shape shape) {
  shape.memory_mib = 0;
  ++counts_[shape];
  ++total_;
}

TypicalShapes TypicalShapes::Of(const ShapeCounts& seen, int percent) {
  std::vector<TypicalShape> all;
  for (const auto& [shape, count] : seen.counts()) all.push_back({shape, count});
  std::ranges::stable_sort(all, std::greater{}, &TypicalShape::count);
  TypicalShapes typical;
  const int64_t wanted = seen.total() * percent;
  for (const TypicalShape& one : all) {
    if (typical.total_ * 100 >= wanted) break;
    typical.list_.push_back(one);
    typical.total_ += one.count;
  }
  return typical;
}

int64_t Waste(const Bin& bin, const TypicalShapes& typical) {
  const int64_t free = bin.FreeShare();
  if (free == 0) return 0;
  int64_t waste = 0;
  for (const TypicalShape& one : typical.list()) {
    int64_t unusable = free;
    if (CouldRun(bin, one.shape)) {
      unusable = 0;
      for (int i = 0; i < bin.gpus; ++i) {
        const int16_t share = bin.free[static_cast<size_t>(i)];
        if (share < one.shape.share) unusable += share;
      }
    }
    waste += unusable * one.count;
  }
  return waste;
}

int64_t WasteLessSlots(const Bin& bin, const TypicalShapes& typical) {
  int64_t worth = 0;
  for (const TypicalShape& one : typical.list()) {
    worth += one.count * one.scarcity * Slots(bin, one.shape) * one.shape.GpuTotal() / kWholeGpu;
  }
  return Waste(bin, typical) - worth * 3 / 10;
}

int GradientScore(int64_t waste_gain, int64_t total) {
  // sigmoid(gain) >= s / 100  <=>  gain >= logit(s / 100); gain = waste_gain / (1000 * total).
  const auto reached = [&](int64_t logit) { return waste_gain * 1'000'000 >= logit * total; };
  return static_cast<int>(std::ranges::partition_point(kLogit, reached) - kLogit.begin());
}

}  // namespace gp
