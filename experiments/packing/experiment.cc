#include "experiments/packing/experiment.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/percentile.h"
#include "base/rng.h"
#include "experiments/packing/scattered_order.h"

namespace gp {
namespace {

constexpr int64_t kInflatePercent = 130;

template <typename T>
void Shuffle(std::vector<T>& items, Rng& rng) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.Below(i)]);
}

int64_t Capacity(const std::vector<Bin>& bins) {
  int64_t total = 0;
  for (const Bin& bin : bins) total += bin.FreeShare();
  return total;
}

// Draws more tenants from the same list until they request 130 % of the GPUs.  As in the published
// experiment, the end test counts only one GPU's share of the next tenant.
std::vector<Shape> Inflate(const std::vector<Shape>& base, int64_t capacity, Rng& rng) {
  std::vector<Shape> all = base;
  int64_t asked = 0;
  for (const Shape& shape : base) asked += shape.GpuTotal();
  while (true) {
    const Shape& next = base[rng.Below(base.size())];
    if ((asked + next.share) * 100 > capacity * kInflatePercent) return all;
    all.push_back(next);
    asked += next.GpuTotal();
  }
}

std::optional<Packer::Choice> ChooseAny(const Packer& packer, const Shape& shape, Rng& rng) {
  const std::vector<size_t> bins = packer.FitBins(shape);
  if (bins.empty()) return std::nullopt;
  Packer::Choice choice{bins[rng.Below(bins.size())], -1};
  if (!shape.IsPart()) return choice;
  const Bin& bin = packer.bins()[choice.bin];
  std::vector<int> gpus;
  for (int i = 0; i < bin.gpus; ++i) {
    if (bin.free[static_cast<size_t>(i)] >= shape.share) gpus.push_back(i);
  }
  choice.gpu = gpus[rng.Below(gpus.size())];
  return choice;
}

constexpr std::array kOrders{
    NamedOrder{"random", NodeOrder::kRandom},
    NamedOrder{"file", NodeOrder::kFile},
    NamedOrder{"gpus", NodeOrder::kGpus},
    NamedOrder{"gpus-descending", NodeOrder::kGpusDescending},
    NamedOrder{"model", NodeOrder::kModel},
    NamedOrder{"model-descending", NodeOrder::kModelDescending},
    NamedOrder{"cpus-per-gpu", NodeOrder::kCpusPerGpu},
    NamedOrder{"cpus-per-gpu-descending", NodeOrder::kCpusPerGpuDescending},
};

int64_t CpusPerGpu(const Bin& bin) {
  return bin.gpus == 0 ? bin.cpu_milli : bin.cpu_milli / bin.gpus;
}

std::vector<Bin> Listed(std::vector<Bin> bins, NodeOrder order, Rng& rng) {
  std::vector<Bin> shuffled = bins;
  Shuffle(shuffled, rng);  // always, so that later draws do not depend on the order
  const auto sort = [&bins](auto key) { std::ranges::stable_sort(bins, {}, key); };
  switch (order) {
    case NodeOrder::kRandom: return shuffled;
    case NodeOrder::kFile: break;
    case NodeOrder::kGpus: sort([](const Bin& bin) { return bin.gpus; }); break;
    case NodeOrder::kGpusDescending: sort([](const Bin& bin) { return -bin.gpus; }); break;
    case NodeOrder::kModel: sort([](const Bin& bin) { return bin.model; }); break;
    case NodeOrder::kModelDescending: sort([](const Bin& bin) { return -bin.model; }); break;
    case NodeOrder::kCpusPerGpu: sort(CpusPerGpu); break;
    case NodeOrder::kCpusPerGpuDescending:
      sort([](const Bin& bin) { return -CpusPerGpu(bin); });
      break;
  }
  return bins;
}

// Learns at the first tenant, and again whenever a fifth of the tenants seen so far is new: often
// at first, later rarely.
class Learner {
 public:
  explicit Learner(std::vector<Bin> empty) : empty_(std::move(empty)) {}

  void See(const Shape& shape, Packer& packer) {
    seen_.Add(shape);
    if (seen_.total() < due_) return;
    due_ = seen_.total() + 1 + seen_.total() / 4;
    TypicalShapes typical = TypicalShapes::Of(seen_);
    typical.Weigh(empty_);
    packer.Learn(std::move(typical));
  }

 private:
  std::vector<Bin> empty_;
  ShapeCounts seen_;
  int64_t due_ = 1;
};

TypicalShapes TypicalOf(const PackingWorkload& workload, const std::vector<Bin>& empty) {
  TypicalShapes typical = TypicalShapes::Of(workload.shapes);
  typical.Weigh(empty);
  return typical;
}

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::span<const NamedOrder> NodeOrders() { return kOrders; }

PackingResult RunPacking(const PackingWorkload& workload, const PackingPolicy& policy,
                         const PackingRun& run, const DoneWatch& watch) {
  Rng rng(run.seed);
  std::vector<Bin> bins = Listed(workload.bins, run.order, rng);
  if (policy.is_scattered) bins = Scattered(bins);
  const int64_t capacity = Capacity(bins);
  std::vector<Shape> base = workload.shapes;
  Shuffle(base, rng);
  const std::vector<Shape> arrivals = Inflate(base, capacity, rng);

  const int64_t begin_ns = NowNs();
  Learner learner(bins);
  TypicalShapes typical = run.learn ? TypicalShapes() : TypicalOf(workload, bins);
  Packer packer(policy, std::move(bins), std::move(typical));
  PackingResult result;
  std::vector<int64_t> decision_ns;
  int64_t asked = 0;
  int64_t allocated = 0;
  int64_t samples = 0;
  int64_t sum = 0;
  for (const Shape& shape : arrivals) {
    const int64_t decide_ns = NowNs();
    if (run.learn) learner.See(shape, packer);
    const auto choice = policy.is_random ? ChooseAny(packer, shape, rng) : packer.Choose(shape);
    decision_ns.push_back(NowNs() - decide_ns);
    asked += shape.GpuTotal();
    if (choice) {
      packer.Place(shape, *choice);
      allocated += shape.GpuTotal();
      ++result.placed;
    }
    if (watch)
      watch(static_cast<double>(decision_ns.size()) / static_cast<double>(arrivals.size()));
    if ((asked * 200 + capacity) / (2 * capacity) != 100) continue;
    ++samples;
    sum += allocated;
  }
  result.seconds = static_cast<double>(NowNs() - begin_ns) / 1e9;
  result.arrived = static_cast<int64_t>(arrivals.size());
  if (samples > 0) {
    result.allocated_pct_at_100 = 100.0 * static_cast<double>(sum) / static_cast<double>(samples) /
                                  static_cast<double>(capacity);
  }
  result.decision_us_p50 = static_cast<double>(Percentile(decision_ns, 50)) / 1e3;
  result.decision_us_p99 = static_cast<double>(Percentile(decision_ns, 99)) / 1e3;
  return result;
}

}  // namespace gp
