#include "adapters/outbound/machine_file/gpu_entry.h"

#include "adapters/outbound/machine_file/pci_address.h"
#include "base/text.h"

namespace gp {
namespace {

void Assign(std::optional<int64_t> from, int64_t* to) {
  if (from) *to = *from;
}
void Assign(std::optional<int64_t> from, std::optional<int>* to) {
  if (from) *to = static_cast<int>(*from);
}
void Assign(std::optional<std::string> from, std::string* to) {
  if (from) *to = *std::move(from);
}

void ReadComputeCapability(YamlSection* section, GpuIdentity* gpu) {
  const std::optional<std::string> text = section->Text("compute_capability");
  if (!text) return;
  const std::vector<std::string> parts = Split(*text, '.');
  const Result<int64_t> major = ParseCount(parts.front());
  const Result<int64_t> minor = ParseCount(parts.back());
  if (parts.size() != 2 || !major || !minor) {
    section->Refuse("compute_capability", "must be like \"9.0\", in quotes");
    return;
  }
  gpu->compute_capability_major = static_cast<int>(*major);
  gpu->compute_capability_minor = static_cast<int>(*minor);
}

void ReadMemory(YamlSection section, GpuIdentity* gpu) {
  Assign(section.Count("total"), &gpu->memory_total_mib);
  Assign(section.Count("reserved"), &gpu->memory_reserved_mib);
  section.Skip({"bar1"});
  section.Done();
  if (gpu->memory_reserved_mib > gpu->memory_total_mib) {
    section.Refuse("reserved", "is more than the total");
  }
}

void ReadPower(YamlSection section, GpuIdentity* gpu) {
  Assign(section.Count("limit"), &gpu->power_limit_watts);
  section.Skip({"idle", "min", "max"});
  section.Done();
}

void ReadTemperatures(YamlSection section, GpuIdentity* gpu) {
  Assign(section.Count("slowdown"), &gpu->temperature_slowdown_c);
  Assign(section.Count("shutdown"), &gpu->temperature_shutdown_c);
  section.Skip({"idle", "memory", "gpu_max", "memory_max", "margin_zero"});
  section.Done();
}

void Assign(std::optional<int64_t> from, int* to) {
  if (from) *to = static_cast<int>(*from);
}

void ReadBuses(YamlSection pcie, YamlSection nvlink, GpuBuses* buses) {
  Assign(pcie.Count("generation"), &buses->pcie_generation);
  Assign(pcie.Count("width"), &buses->pcie_width);
  pcie.Done();
  Assign(nvlink.Count("version"), &buses->nvlink_version);
  nvlink.Skip({"mb_per_second"});
  nvlink.Done();
}

// An address, or nullopt after an error.
std::optional<PciAddress> ReadAddress(YamlSection* section, const std::string& key) {
  const std::optional<std::string> text = section->Text(key);
  if (!text || text->empty()) return std::nullopt;
  const std::optional<PciAddress> address = PciAddress::Parse(*text);
  if (!address) section->Refuse(key, "must be a PCI address such as \"0000:1b:00.0\"");
  return address;
}

void ReadPlace(YamlSection* section, GpuEntry* gpu) {
  Assign(section->Count("numa"), &gpu->place.numa_node);
  const std::optional<PciAddress> address = ReadAddress(section, "bus_id");
  if (address) {
    gpu->place.pci_bus_id = address->ToLinux();
    gpu->identity.pci_bus_id = address->ToNvml();
  } else {
    section->Refuse("bus_id", "is missing");
  }
  if (const auto root = ReadAddress(section, "root")) gpu->place.root_complex = root->ToLinux();
  if (const auto port = ReadAddress(section, "switch")) gpu->place.pcie_switch = port->ToLinux();
}

}  // namespace

void ReadGpuModel(YamlSection* section, GpuEntry* gpu) {
  Assign(section->Text("name"), &gpu->identity.name);
  Assign(section->Text("vbios"), &gpu->identity.vbios);
  if (const std::optional<std::string> mig = section->Text("mig")) {
    gpu->identity.mig_capable = !mig->empty();
  }
  ReadComputeCapability(section, &gpu->identity);
  ReadMemory(section->Map("memory_mib"), &gpu->identity);
  ReadPower(section->Map("power_watts"), &gpu->identity);
  ReadTemperatures(section->Map("temperature_c"), &gpu->identity);
  section->Skip({"brand", "architecture", "part_number", "inforom", "cores", "ecc", "remap_banks",
                 "fans", "fabric", "pci_id", "pci_subsystem", "clocks_mhz"});
  ReadBuses(section->Map("pcie"), section->Map("nvlink"), &gpu->buses);
}

GpuEntry ReadGpuEntry(YamlSection* section, const GpuEntry& defaults, int index) {
  GpuEntry gpu = defaults;
  ReadGpuModel(section, &gpu);
  gpu.identity.index = index;
  gpu.identity.minor = static_cast<int>(section->Count("minor").value_or(index));
  Assign(section->Text("uuid"), &gpu.identity.uuid);
  Assign(section->Text("serial"), &gpu.identity.serial);
  ReadPlace(section, &gpu);
  section->Skip({"module"});
  section->Done();
  if (!gpu.identity.uuid.starts_with("GPU-")) section->Refuse("uuid", "must start with GPU-");
  if (gpu.identity.memory_total_mib == 0) section->Refuse("memory_mib", "has no total");
  return gpu;
}

}  // namespace gp
