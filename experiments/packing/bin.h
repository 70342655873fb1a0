#pragma once

// Nodes and workloads as packing sees them: plain numbers, small enough to scan ten thousand nodes.
// Shares of a GPU are in thousandths.

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

namespace gp {

inline constexpr int kBinGpusMax = 8;
inline constexpr int kWholeGpu = 1000;

// What one tenant requests of one node.
struct Shape {
  int64_t cpu_milli = 0;
  int64_t memory_mib = 0;
  int gpus = 0;
  int share = 0;        // of each GPU; less than kWholeGpu only if `gpus` is 1
  uint32_t models = 0;  // bit m: model m is allowed; 0: any
  auto operator<=>(const Shape&) const = default;

  int64_t GpuTotal() const { return static_cast<int64_t>(gpus) * share; }
  bool IsPart() const { return gpus == 1 && share < kWholeGpu; }
};

// Tenants of one kind request the same number of GPUs; parts of a GPU are a kind of their own.
inline constexpr int kKinds = kBinGpusMax + 1;
int KindOf(const Shape& shape);

struct Bin {
  int64_t cpu_milli = 0;   // free
  int64_t memory_mib = 0;  // free
  int model = 0;
  int gpus = 0;
  std::array<int16_t, kBinGpusMax> free{};  // of each GPU
  std::array<int32_t, kKinds> tenants{};    // by kind

  int64_t FreeShare() const;
  int IdleGpus() const;
};

// Whether its GPUs can hold the shape now, regardless of cores and memory.
bool GpusFit(const Bin& bin, const Shape& shape);
bool Fits(const Bin& bin, const Shape& shape);

// The GPU with the least free share that still fits a part; the lowest number breaks ties.
// REQUIRES: shape.IsPart() and Fits.
int TightestGpu(const Bin& bin, const Shape& shape);
// Removes the shape from the free resources: whole GPUs from the lowest idle one on, or a part of
// `gpu`.
void Take(Bin& bin, const Shape& shape, int gpu);

}  // namespace gp
