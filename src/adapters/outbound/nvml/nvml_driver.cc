#include "adapters/outbound/nvml/nvml_driver.h"

#include <algorithm>

#include "adapters/outbound/nvml/gpu_uuid.h"
#include "adapters/outbound/nvml/health.h"
#include "adapters/outbound/nvml/inventory.h"
#include "adapters/outbound/nvml/links.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int kNoIndex = -1;

// 550 of "550.54.15"; 0 if the text is not a version.
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
    KnownGpu known{static_cast<int>(i), "", {}};
    const nvmlReturn_t result = library_->functions().DeviceGetHandleByIndex_v2(i, &known.device);
    if (result != NVML_SUCCESS) {
      warnings.Add("GPU " + std::to_string(i) + ": left out: " + library_->Explain(result));
      continue;
    }
    GpuInquiry gpu(*library_, known.index, known.device, &warnings);
    GpuIdentity identity;
    if (!ReadIdentity(&gpu, &identity)) continue;
    ends.push_back(ReadNvlinkEnds(&gpu, identity.pci_bus_id));
    known.uuid = identity.uuid;
    inventory.gpus.push_back(std::move(identity));
    gpus_.push_back(std::move(known));
  }
  inventory.links = JoinNvlinks(std::move(ends));
  inventory.warnings = warnings.Take();
  has_inventory_ = true;
  return inventory;
}

void NvmlDriver::LearnVersion() {
  if (driver_major_ != 0) return;
  DriverInventory versions;
  NvmlWarnings warnings;
  ReadVersions(*library_, &versions, &warnings);
  driver_major_ = MajorOf(versions.driver_version);
}

Result<NvmlDriver::KnownGpu> NvmlDriver::Know(const std::string& uuid) {
  const auto known = std::ranges::find(gpus_, uuid, &KnownGpu::uuid);
  if (known != gpus_.end()) return *known;
  gpus_.push_back({kNoIndex, uuid, GP_TRY(OpenByUuid(*library_, uuid))});
  return gpus_.back();
}

GpuHealth NvmlDriver::Read(const KnownGpu& known) const {
  GpuInquiry gpu(*library_, known.index, known.device, nullptr);
  GpuHealth health = ReadHealth(&gpu, driver_major_);
  if (health.lost) health.uuid = known.uuid;  // the handle still belongs to it
  return health;
}

Result<GpuHealth> NvmlDriver::HealthOf(const std::string& uuid) {
  LearnVersion();
  return Read(GP_TRY(Know(uuid)));
}

Result<GpuIdentity> NvmlDriver::IdentityOf(const std::string& uuid) {
  const KnownGpu known = GP_TRY(Know(uuid));
  GpuInquiry gpu(*library_, known.index, known.device, nullptr);
  GpuIdentity identity;
  if (ReadIdentity(&gpu, &identity)) return identity;
  return Fail(NotFound(uuid + ": the driver does not report its identity"));
}

Result<std::vector<GpuHealth>> NvmlDriver::Health() {
  if (!has_inventory_) GP_TRY(Inventory());
  GP_TRY(CountGpus());  // an unloaded driver is an error, not a host of lost GPUs
  std::vector<GpuHealth> health;
  for (const KnownGpu& known : gpus_) health.push_back(Read(known));
  return health;
}

}  // namespace gp
