#include "adapters/outbound/hwloc/recorded_gpus.h"

#include <hwloc/distances.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace gp {
namespace {

// "nvml3" -> 3.  Only the name is the same in exports of every hwloc version.
std::optional<int> NvmlIndex(hwloc_obj_t object) {
  constexpr std::string_view kPrefix = "nvml";
  if (object->type != HWLOC_OBJ_OS_DEVICE || object->name == nullptr) return std::nullopt;
  std::string_view name = object->name;
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

std::string InfoOf(hwloc_obj_t object, const char* key) {
  const char* value = hwloc_obj_get_info_by_name(object, key);
  return value == nullptr ? "" : value;
}

// "00000000:1B:00.0", in NVML's notation.
std::string NvmlBusId(hwloc_obj_t pci_device) {
  const auto& pci = pci_device->attr->pcidev;
  char text[32];
  std::snprintf(text, sizeof text, "%08X:%02X:%02X.%X", static_cast<unsigned>(pci.domain),
                static_cast<unsigned>(pci.bus), static_cast<unsigned>(pci.dev),
                static_cast<unsigned>(pci.func));
  return text;
}

GpuIdentity Identify(hwloc_obj_t device, int index) {
  GpuIdentity gpu;
  gpu.index = index;
  gpu.minor = index;  // not in the export; equal on most machines
  gpu.name = InfoOf(device, "GPUModel");
  gpu.serial = InfoOf(device, "NVIDIASerial");
  gpu.uuid = InfoOf(device, "NVIDIAUUID");
  if (device->parent != nullptr && device->parent->type == HWLOC_OBJ_PCI_DEVICE) {
    gpu.pci_bus_id = NvmlBusId(device->parent);
  }
  return gpu;
}

// The bandwidth matrix, released by the destructor.
class Matrix {
 public:
  explicit Matrix(hwloc_topology_t topology) : topology_(topology) {
    unsigned count = 1;
    if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &count, &distances_, 0) != 0 ||
        count == 0) {
      distances_ = nullptr;
    }
  }
  ~Matrix() {
    if (distances_ != nullptr) hwloc_distances_release(topology_, distances_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  bool exists() const { return distances_ != nullptr; }

  bool Transform(hwloc_distances_transform_e transform) {
    return hwloc_distances_transform(topology_, distances_, transform, nullptr, 0) == 0;
  }

  // Units between two different GPUs, by (lower, higher) NVML index, without zeros.
  std::map<std::pair<int, int>, int> BetweenGpus() const {
    std::map<std::pair<int, int>, int> result;
    for (unsigned row = 0; row < distances_->nbobjs; ++row) {
      for (unsigned column = 0; column < distances_->nbobjs; ++column) {
        const uint64_t value = distances_->values[row * distances_->nbobjs + column];
        if (value == 0 || !distances_->objs[row] || !distances_->objs[column]) continue;
        const std::optional<int> a = NvmlIndex(distances_->objs[row]);
        const std::optional<int> b = NvmlIndex(distances_->objs[column]);
        if (a && b && *a < *b) result[{*a, *b}] = static_cast<int>(value);
      }
    }
    return result;
  }

 private:
  hwloc_topology_t topology_;
  hwloc_distances_s* distances_ = nullptr;
};

Result<std::vector<GpuLinks>> ReadLinks(hwloc_topology_t topology) {
  Matrix matrix(topology);
  std::vector<GpuLinks> links;
  if (!matrix.exists()) return links;
  if (!matrix.Transform(HWLOC_DISTANCES_TRANSFORM_LINKS)) {
    return Fail(InvalidArgument("hwloc: NVLinkBandwidth is no matrix of bandwidths"));
  }
  const auto direct = matrix.BetweenGpus();
  // Merging fails if there is no switch: then all links are direct.  A transitive closure would add
  // false links through CPUs.
  if (matrix.Transform(HWLOC_DISTANCES_TRANSFORM_MERGE_SWITCH_PORTS)) {
    matrix.Transform(HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE);
  }
  for (const auto& [pair, count] : matrix.BetweenGpus()) {
    links.push_back({pair.first, pair.second, count, !direct.contains(pair)});
  }
  return links;
}

}  // namespace

Result<RecordedGpus> ReadRecordedGpus(hwloc_topology_t topology) {
  RecordedGpus recorded;
  hwloc_obj_t device = nullptr;
  while ((device = hwloc_get_next_osdev(topology, device)) != nullptr) {
    if (const std::optional<int> index = NvmlIndex(device)) {
      recorded.gpus.push_back(Identify(device, *index));
    }
  }
  std::ranges::sort(recorded.gpus, {}, &GpuIdentity::index);
  recorded.links = GP_TRY(ReadLinks(topology));
  return recorded;
}

}  // namespace gp
