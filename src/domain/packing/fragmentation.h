#pragma once

// How much of a bin's free GPU time nobody typical could use.  The idea and its measure are from
// "Beware of Fragmentation" (Weng, Yang et al., USENIX ATC 2023).

#include <cstdint>
#include <initializer_list>
#include <map>
#include <vector>

#include "domain/packing/bin.h"

namespace gp {

struct TypicalShape {
  Shape shape;
  int64_t count = 0;             // how often it was seen
  int64_t scarcity = kWholeGpu;  // of the GPUs it may use, in thousandths; see Weigh
};

// How often each shape came; host memory makes no difference.
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

class TypicalShapes {
 public:
  TypicalShapes() = default;
  // The most frequent of `seen`, until they cover `percent` of it.
  static TypicalShapes Of(const ShapeCounts& seen, int percent = 95);

  // Sets each shape's scarcity: (all GPUs / those on nodes where it could ever run) to the
  // power 1.5.
  void Weigh(const std::vector<Bin>& empty);

  const std::vector<TypicalShape>& list() const { return list_; }
  int64_t total() const { return total_; }

 private:
  std::vector<TypicalShape> list_;
  int64_t total_ = 0;
};

// Thousandths of a GPU that lie waste, times TypicalShapes::total(): the sum over the typical
// shapes, each times its count.  A shape that cannot run here wastes all that is free, one that can
// wastes the GPUs with less than it needs.  Host memory is not looked at.
int64_t Waste(const Bin& bin, const TypicalShapes& typical);

// In the same unit: waste, less 0.3 of what the slots that are left are worth.  A slot is room for
// one more of a typical shape; it is worth that shape's GPUs, times its count and scarcity.
int64_t WasteLessSlots(const Bin& bin, const TypicalShapes& typical);

// floor(100 * sigmoid(gain)), `gain` in GPUs, given as waste before minus waste after.
int GradientScore(int64_t waste_gain, int64_t total);

}  // namespace gp
