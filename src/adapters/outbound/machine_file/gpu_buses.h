#pragma once

// PCIe and NVLink of a GPU as a machine file describes them.  Only performance models use them.

namespace gp {

// 0: not in the file.
struct GpuBuses {
  int pcie_generation = 0;
  int pcie_width = 0;
  int nvlink_version = 0;
};

}  // namespace gp
