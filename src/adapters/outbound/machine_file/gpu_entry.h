#pragma once

#include "adapters/outbound/machine_file/gpu_buses.h"
#include "adapters/outbound/machine_file/yaml_section.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// One GPU of a machine file: its identity and its location.
struct GpuEntry {
  GpuIdentity identity;
  PciGpu place;
  GpuBuses buses;
};

// The keys that `gpu_defaults` and an entry of `gpus` share.
void ReadGpuModel(YamlSection* section, GpuEntry* gpu);

// An entry of `gpus`, on top of the defaults.
GpuEntry ReadGpuEntry(YamlSection* section, const GpuEntry& defaults, int index);

}  // namespace gp
