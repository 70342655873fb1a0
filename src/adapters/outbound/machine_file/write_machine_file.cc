#include "adapters/outbound/machine_file/write_machine_file.h"

#include <algorithm>

#include "adapters/outbound/machine_file/gpu_traits.h"
#include "adapters/outbound/machine_file/pci_address.h"

namespace gp {
namespace {

// Stands for all switches, whose addresses are unknown; no host uses this domain.
constexpr char kPlaceholderSwitch[] = "ffff:00:00.0";

std::string Block(const YamlEntries& entries, const std::string& indent) {
  std::string text;
  for (const auto& [key, value] : entries) text += indent + key + ": " + value + "\n";
  return text;
}

std::string HostText(const HostFacts& host, const DriverInventory& inventory) {
  std::string text = Block({{"machine", "gpu-platform/v1"},
                            {"hostname", QuoteYaml(host.hostname)},
                            {"memory_mib", std::to_string(host.memory_mib)},
                            {"packages", std::to_string(host.packages)},
                            {"driver", FlowMap({{"version", QuoteYaml(inventory.driver_version)},
                                                {"cuda", QuoteYaml(inventory.cuda_version)}})}},
                           "");
  text += "\nnuma:\n";
  for (const NumaNode& node : host.numa_nodes) {
    text += "  - " +
            FlowMap({{"id", std::to_string(node.id)},
                     {"package", std::to_string(node.package)},
                     {"cpus", QuoteYaml(node.cpus.ToString())},
                     {"memory_mib", std::to_string(node.memory_mib)}}) +
            "\n";
  }
  return text;
}

const PciGpu* FindPlace(const HostFacts& host, const GpuIdentity& gpu) {
  const std::optional<PciAddress> address = PciAddress::Parse(gpu.pci_bus_id);
  const auto is_there = [&](const PciGpu& place) {
    return PciAddress::Parse(place.pci_bus_id) == address;
  };
  const auto found = std::ranges::find_if(host.gpus, is_there);
  return address && found != host.gpus.end() ? &*found : nullptr;
}

GpuHealth HealthOf(const GpuIdentity& gpu, const std::vector<GpuHealth>& health) {
  const auto found = std::ranges::find(health, gpu.index, &GpuHealth::index);
  return found != health.end() ? *found : GpuHealth();
}

// The entries that all GPUs share, in order.
YamlEntries CommonEntries(const std::vector<YamlEntries>& models) {
  YamlEntries common = models.front();
  for (const YamlEntries& model : models) {
    std::erase_if(
        common, [&](const auto& entry) { return std::ranges::find(model, entry) == model.end(); });
  }
  return common;
}

std::string GpusText(const HostFacts& host, const DriverInventory& inventory,
                     const std::vector<GpuHealth>& health) {
  if (inventory.gpus.empty()) return "\ngpus: []\n";
  std::vector<YamlEntries> models;
  for (const GpuIdentity& gpu : inventory.gpus) {
    models.push_back(ModelTraits(gpu, HealthOf(gpu, health)));
  }
  const YamlEntries common = CommonEntries(models);
  std::string text;
  if (!common.empty()) text += "\ngpu_defaults:\n" + Block(common, "  ");
  text += "\ngpus:\n";
  for (size_t i = 0; i < models.size(); ++i) {
    YamlEntries entries = OwnTraits(inventory.gpus[i], FindPlace(host, inventory.gpus[i]));
    for (const auto& entry : models[i]) {
      if (std::ranges::find(common, entry) == common.end()) entries.push_back(entry);
    }
    std::string block = Block(entries, "    ");
    text += block.replace(2, 1, "-");
  }
  return text;
}

// Links name GPUs by position in the file, which differs from the driver's index if a GPU is
// missing.
size_t PositionOf(int gpu_index, const DriverInventory& inventory) {
  const auto found = std::ranges::find(inventory.gpus, gpu_index, &GpuIdentity::index);
  return static_cast<size_t>(found - inventory.gpus.begin());
}

std::string LinksText(const DriverInventory& inventory) {
  int switched = 0;
  std::string pairs;
  for (const GpuLinks& link : inventory.links) {
    if (link.through_switch) {
      switched = std::max(switched, link.link_count);
      continue;
    }
    pairs += "    - {gpus: [" + std::to_string(PositionOf(link.gpu_a, inventory)) + ", " +
             std::to_string(PositionOf(link.gpu_b, inventory)) +
             "], links: " + std::to_string(link.link_count) + "}\n";
  }
  std::string text;
  if (switched > 0) {
    text += "  all: " + std::to_string(switched) + "\n";
    text += "  # A placeholder: where the switches are was not captured.\n";
    text += "  switches: [" + QuoteYaml(kPlaceholderSwitch) + "]\n";
  }
  if (!pairs.empty()) text += "  pairs:\n" + pairs;
  return text.empty() ? "" : "\nnvlinks:\n" + text;
}

}  // namespace

std::string WriteMachineFile(const HostFacts& host, const DriverInventory& inventory,
                             const std::vector<GpuHealth>& health) {
  return HostText(host, inventory) + GpusText(host, inventory, health) + LinksText(inventory);
}

}  // namespace gp
