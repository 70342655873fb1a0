#include "experiments/topology/bandwidth.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

// MB/s of one link in one direction, by version, from 1.
constexpr std::array<int64_t, 5> kNvlinkMb = {20'000, 25'000, 25'000, 25'000, 50'000};
// MB/s of one lane in one direction after line encoding, by generation, from 1.
constexpr std::array<int64_t, 6> kPcieLaneMb = {250, 500, 985, 1'969, 3'938, 7'563};
// The usable part of a PCIe link between two GPUs: below one socket, and across sockets.
constexpr int64_t kSameSocketPercent = 86;
constexpr int64_t kCrossSocketPercent = 74;

// 0: the table has no such entry.
template <size_t N>
int64_t RateOf(const std::array<int64_t, N>& table, int number) {
  return number >= 1 && number <= static_cast<int>(N) ? table[static_cast<size_t>(number - 1)] : 0;
}

int PackageOf(const NodeFacts& facts, int gpu) {
  return facts.numa[static_cast<size_t>(facts.gpus[static_cast<size_t>(gpu)].numa)].package;
}

int64_t PcieMb(const TopologyMachine& machine, int a, int b) {
  const auto rate = [&](int gpu) {
    const GpuWires& wires = machine.wires[static_cast<size_t>(gpu)];
    return RateOf(kPcieLaneMb, wires.pcie_generation) * wires.pcie_width;
  };
  const bool same_socket = PackageOf(*machine.facts, a) == PackageOf(*machine.facts, b);
  return std::min(rate(a), rate(b)) * (same_socket ? kSameSocketPercent : kCrossSocketPercent) /
         100;
}

int64_t NvlinkMb(const TopologyMachine& machine, int a, int b) {
  const auto rate = [&](int gpu) {
    return RateOf(kNvlinkMb, machine.wires[static_cast<size_t>(gpu)].nvlink_version);
  };
  return std::min(rate(a), rate(b)) * machine.facts->LinkCount(a, b);
}

}  // namespace

Result<BandwidthTable> BandwidthTable::Of(const TopologyMachine& machine) {
  BandwidthTable table;
  table.gpus_ = machine.facts->gpus.size();
  table.mb_per_second_.assign(table.gpus_ * table.gpus_, 0);
  const int gpus = static_cast<int>(table.gpus_);
  for (int a = 0; a < gpus; ++a) {
    for (int b = 0; b < gpus; ++b) {
      if (a == b) continue;
      const bool is_linked = machine.facts->LinkCount(a, b) > 0;
      const int64_t mb = is_linked ? NvlinkMb(machine, a, b) : PcieMb(machine, a, b);
      if (mb <= 0) {
        return Fail(InvalidArgument(
            machine.name + ": no rate for GPUs " + std::to_string(a) + " and " + std::to_string(b) +
            ": " +
            (is_linked ? "nvlink.version must be from 1 to 5"
                       : "pcie.generation must be from 1 to 6, and pcie.width above 0")));
      }
      table.mb_per_second_[static_cast<size_t>(a) * table.gpus_ + static_cast<size_t>(b)] = mb;
    }
  }
  return table;
}

}  // namespace gp
