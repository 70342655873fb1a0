#pragma once

// How much of a bin's free GPU share no typical workload could use. Idea and measure are from
// "Beware of Fragmentation" (Weng, Yang et al., USENIX ATC 2023).

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "experiments/packing/bin.h"

namespace gp {

struct TypicalShape {
  Shape shape;
  int64_t count = 0;             // how many times it was seen
  int64_t scarcity = kWholeGpu;  // of the GPUs that it may use, in thousandths; see Weigh
};

// How many times each shape was seen, without regard to host memory. Not thread-safe.
class ShapeCounts {
 public:
  ShapeCounts() = default;
  ShapeCounts(std::initializer_list<Shape> shapes) : ShapeCounts(std::vector<Shape>(shapes)) {}
  ShapeCounts(const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes) Add(shape);
  }
  void Add(Shape shape);
  int64_t total() const { return total_; }
  const std::map<Shape, int64_t>& counts() const { return counts_; }

 private:
  std::map<Shape, int64_t> counts_;
  int64_t total_ = 0;
};

// The shapes by which fragmentation is measured. Not thread-safe.
class TypicalShapes {
 public:
  TypicalShapes() = default;
  // The most frequent shapes, until they cover `percent` of all seen.
  static TypicalShapes Of(const ShapeCounts& seen, int percent = 95);

  // Sets each shape's scarcity: (all GPUs / GPUs on nodes where it could ever run) to the power of
  // 1.5.
  void Weigh(const std::vector<Bin>& empty);

  const std::vector<TypicalShape>& list() const { return list_; }
  int64_t total() const { return total_; }

 private:
  std::vector<TypicalShape> list_;
  int64_t total_ = 0;
};

// Wasted thousandths of a GPU, times TypicalShapes::total(): the sum over the typical shapes, each
// times its count. If a shape cannot run here, all free GPUs are wasted for it; if it can, the GPUs
// with less than it needs are. Host memory does not count.
int64_t Waste(const Bin& bin, const TypicalShapes& typical);

// In the same unit: the waste minus 0.3 of the value of the remaining slots. A slot can hold one
// more workload of a typical shape; its value is that shape's GPUs times its count and scarcity.
int64_t WasteLessSlots(const Bin& bin, const TypicalShapes& typical);

// floor(100 * sigmoid(gain)); `gain` is in GPUs, as waste before minus waste after.
int GradientScore(int64_t waste_gain, int64_t total);

}  // namespace gp
