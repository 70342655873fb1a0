#pragma once

// The wires of a GPU as a machine file tells them.  Nothing decides by them; models reckon with
// them.

namespace gp {

// 0: the file does not tell.
struct GpuBuses {
  int pcie_generation = 0;
  int pcie_width = 0;
  int nvlink_version = 0;
};

}  // namespace gp
