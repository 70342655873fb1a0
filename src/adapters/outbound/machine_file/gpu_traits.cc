#include "adapters/outbound/machine_file/gpu_traits.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "adapters/outbound/machine_file/pci_address.h"
#include "base/text.h"

namespace gp {
namespace {

template <typename T>
void AddCount(const char* key, const std::optional<T>& value, YamlEntries* entries) {
  if (value) entries->emplace_back(key, std::to_string(*value));
}

void AddText(const char* key, const std::string& value, YamlEntries* entries) {
  if (!value.empty()) entries->emplace_back(key, QuoteYaml(value));
}

void AddMap(const char* key, const YamlEntries& map, YamlEntries* entries) {
  if (!map.empty()) entries->emplace_back(key, FlowMap(map));
}

std::string Architecture(int major, int minor) {
  if (major == 6) return "pascal";
  if (major == 7) return minor >= 5 ? "turing" : "volta";
  if (major == 8) return minor >= 9 ? "ada" : "ampere";
  if (major == 9) return "hopper";
  return major >= 10 ? "blackwell" : "";
}

// "NVIDIA H100 80GB HBM3" with a largest profile "7g.80gb" -> "h100-80gb", the name of the model's
// table of profiles.
std::string MigTableName(const GpuIdentity& gpu) {
  if (!gpu.mig_capable || gpu.mig_profiles.empty()) return "";
  const auto largest = std::ranges::max_element(gpu.mig_profiles, {}, &MigProfileInfo::memory_mib);
  const std::string size = Split(Split(largest->name, '+').front(), '.').back();
  for (const std::string& word : Split(gpu.name, ' ')) {
    std::string model = Split(word, '-').front();
    const bool has_digit = std::ranges::any_of(model, [](unsigned char c) { return isdigit(c); });
    if (!has_digit || model.empty() || !isalpha(static_cast<unsigned char>(model[0]))) continue;
    std::ranges::transform(model, model.begin(), [](unsigned char c) { return tolower(c); });
    return model + "-" + size;
  }
  return "";
}

YamlEntries MemoryMap(const GpuIdentity& gpu) {
  return {{"total", std::to_string(gpu.memory_total_mib)},
          {"reserved", std::to_string(gpu.memory_reserved_mib)}};
}

}  // namespace

std::string QuoteYaml(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string FlowMap(const YamlEntries& entries) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : entries) parts.push_back(key + ": " + value);
  return "{" + Join(parts, ", ") + "}";
}

YamlEntries ModelTraits(const GpuIdentity& gpu, const GpuHealth& health) {
  YamlEntries traits;
  AddText("name", gpu.name, &traits);
  AddText("vbios", gpu.vbios, &traits);
  if (gpu.compute_capability_major) {
    const int major = *gpu.compute_capability_major;
    const int minor = gpu.compute_capability_minor.value_or(0);
    AddText("architecture", Architecture(major, minor), &traits);
    AddText("compute_capability", std::to_string(major) + "." + std::to_string(minor), &traits);
  }
  AddText("mig", MigTableName(gpu), &traits);
  if (health.ecc) traits.emplace_back("ecc", "true");
  // Rows can be remapped, but the number of banks is unknown.
  if (health.row_remap) traits.emplace_back("remap_banks", "0");
  AddMap("memory_mib", MemoryMap(gpu), &traits);
  YamlEntries power;
  AddCount("idle", health.power_watts, &power);
  AddCount("limit", gpu.power_limit_watts, &power);
  AddMap("power_watts", power, &traits);
  YamlEntries temperature;
  AddCount("idle", health.temperature_c, &temperature);
  AddCount("slowdown", gpu.temperature_slowdown_c, &temperature);
  AddCount("shutdown", gpu.temperature_shutdown_c, &temperature);
  AddMap("temperature_c", temperature, &traits);
  YamlEntries clocks;
  AddCount("sm", health.sm_clock_mhz, &clocks);
  AddCount("memory", health.memory_clock_mhz, &clocks);
  AddMap("clocks_mhz", clocks, &traits);
  return traits;
}

YamlEntries OwnTraits(const GpuIdentity& gpu, const PciGpu* place) {
  YamlEntries traits;
  AddText("uuid", gpu.uuid, &traits);
  AddText("serial", gpu.serial, &traits);
  traits.emplace_back("minor", std::to_string(gpu.minor));
  const std::optional<PciAddress> address = PciAddress::Parse(gpu.pci_bus_id);
  AddText("bus_id", address ? address->ToLinux() : gpu.pci_bus_id, &traits);
  if (place == nullptr) return traits;
  AddCount("numa", place->numa_node, &traits);
  AddText("root", place->root_complex, &traits);
  AddText("switch", place->pcie_switch, &traits);
  return traits;
}

}  // namespace gp
