#include "adapters/outbound/nvml/nvml_driver.h"

#include <algorithm>

#include "adapters/outbound/nvml/health.h"
#include "adapters/outbound/nvml/inventory.h"
#include "adapters/outbound/nvml/links.h"
#include "base/text.h"

namespace gp {
namespace {

// 550 of "550.54.15"; 0 where the text is none.
int MajorOf(const std::string& driver_version) {
  const Result<int64_t> major = ParseCount(driver_version.substr(0, driver_version.find('.')));
  return major ? static_cast<int>(*major) : 0;
}

}  // namespace

Result<std::unique_ptr<NvmlDriver>> NvmlDriver::Open(const std::string& path) {
  return std::unique_ptr<NvmlDriver>(new NvmlDriver(GP_TRY(NvmlLibrary::Open(path))));
}

Result<unsigned> NvmlDriver::CountGpus() const {
  const auto& function = library_->functions().DeviceGetCount_v2;
  unsigned count = 0;
  const nvmlReturn_t result = function(&count);
  if (result == NVML_SUCCESS) return count;
  return Fail(Unavailable(std::string(function.name) + ": " + library_->Explain(result) +
                          "; the NVIDIA driver does not respond"));
}

Result<DriverInventory> NvmlDriver::Inventory() {
  const unsigned count = GP_TRY(CountGpus());
  DriverInventory inventory;
  NvmlWarnings warnings;
  ReadVersions(*library_, &inventory, &warnings);
  driver_major_ = MajorOf(inventory.driver_version);
  gpus_.clear();
  std::vector<NvlinkEnds> ends;
  for (unsigned i = 0; i < count; ++i) {
    KnownGpu known{static_cast<int>(i), {}};
    const nvmlReturn_t result = library_->functions().DeviceGetHandleByIndex_v2(i, &known.device);
    if (result != NVML_SUCCESS) {
      warnings.Add("GPU " + std::to_string(i) + ": left out: " + library_->Explain(result));
      continue;
    }
    GpuInquiry gpu(*library_, known.index, known.device, &warnings);
    GpuIdentity identity;
    if (!ReadIdentity(&gpu, &identity)) continue;
    ends.push_back(ReadNvlinkEnds(&gpu, identity.pci_bus_id));
    inventory.gpus.push_back(std::move(identity));
    gpus_.push_back(known);
  }
  inventory.links = JoinNvlinks(std::move(ends));
  inventory.warnings = warnings.Take();
  has_inventory_ = true;
  return inventory;
}

Result<GpuHealth> NvmlDriver::HealthOf(int index) {
  if (driver_major_ == 0) {
    DriverInventory versions;
    NvmlWarnings warnings;
    ReadVersions(*library_, &versions, &warnings);
    driver_major_ = MajorOf(versions.driver_version);
  }
  auto known = std::ranges::find(gpus_, index, &KnownGpu::index);
  if (known == gpus_.end()) {
    KnownGpu opened{index, {}};
    const nvmlReturn_t result = library_->functions().DeviceGetHandleByIndex_v2(static_cast<unsigned>(index), &opened.device);
    if (result != NVML_SUCCESS) return Fail(NotFound("GPU " + std::to_string(index) + ": " + library_->Explain(result)));
    known = gpus_.insert(gpus_.end(), opened);
  }
  GpuInquiry gpu(*library_, known->index, known->device, nullptr);
  return ReadHealth(&gpu, driver_major_);
}

Result<std::vector<GpuHealth>> NvmlDriver::Health() {
  if (!has_inventory_) GP_TRY(Inventory());
  GP_TRY(CountGpus());  // a driver that was unloaded is an error and not a host of lost GPUs
  std::vector<GpuHealth> health;
  for (const KnownGpu& known : gpus_) {
    GpuInquiry gpu(*library_, known.index, known.device, nullptr);
    health.push_back(ReadHealth(&gpu, driver_major_));
  }
  return health;
}

}  // namespace gp
