#include "tests/integration/discovery/inventory_text.h"

#include <sstream>

namespace gp {
namespace {

std::string Show(const std::optional<int>& value) { return value ? std::to_string(*value) : "-"; }

}  // namespace

std::string VersionsText(const DriverInventory& inventory) {
  return "driver " + inventory.driver_version + " cuda " + inventory.cuda_version;
}

std::string GpusText(const DriverInventory& inventory) {
  std::ostringstream out;
  for (const GpuIdentity& gpu : inventory.gpus) {
    out << gpu.index << " minor " << gpu.minor << ' ' << gpu.uuid << " '" << gpu.name
        << "' serial '" << gpu.serial << "' at " << gpu.pci_bus_id << " vbios '" << gpu.vbios
        << "' memory " << gpu.memory_total_mib << " - " << gpu.memory_reserved_mib << " cc "
        << Show(gpu.compute_capability_major) << '.' << Show(gpu.compute_capability_minor)
        << " watts " << Show(gpu.power_limit_watts) << " celsius "
        << Show(gpu.temperature_slowdown_c) << '/' << Show(gpu.temperature_shutdown_c)
        << (gpu.mig_capable ? " mig" : "") << (gpu.mig_enabled ? " on" : "") << '\n';
  }
  return out.str();
}

std::string LinksText(const DriverInventory& inventory) {
  std::ostringstream out;
  for (const GpuLinks& link : inventory.links) {
    out << link.gpu_a << '-' << link.gpu_b << ' ' << link.link_count
        << (link.through_switch ? " switch\n" : "\n");
  }
  return out.str();
}

std::string MigText(const DriverInventory& inventory) {
  std::ostringstream out;
  for (const GpuIdentity& gpu : inventory.gpus) {
    for (const MigProfileInfo& profile : gpu.mig_profiles) {
      out << gpu.index << ' ' << profile.id << ' ' << profile.name << ' ' << profile.compute_slices
          << ' ' << profile.memory_mib << ' ' << profile.instances_max << " at";
      for (const MigPlacement& place : profile.placements) {
        out << ' ' << place.start << '+' << place.size;
      }
      out << '\n';
    }
  }
  return out.str();
}

}  // namespace gp
