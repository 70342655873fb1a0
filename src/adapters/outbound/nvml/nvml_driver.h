#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// GpuDriver over NVML.  NVML may block for seconds on a faulty GPU, so the owner calls it on a
// thread that may wait, and makes one call at a time: this class has no lock.
class NvmlDriver : public GpuDriver {
 public:
  static Result<std::unique_ptr<NvmlDriver>> Open(const std::string& path = kNvmlLibraryName);

  // A GPU that cannot be identified is omitted, and a warning names it.
  Result<DriverInventory> Inventory() override;
  // For the GPUs of the latest Inventory(); takes an inventory first if there is none yet.
  Result<std::vector<GpuHealth>> Health() override;
  // For the GPU with this UUID only. kNotFound: it cannot even be opened.
  Result<GpuHealth> HealthOf(const std::string& uuid);
  // The same for its identity.  The index is not valid if there was no Inventory().
  Result<GpuIdentity> IdentityOf(const std::string& uuid);

  // For XidEvents.
  std::shared_ptr<const NvmlLibrary> library() const { return library_; }

 private:
  struct KnownGpu {
    int index;
    std::string uuid;
    nvmlDevice_t device;
  };

  explicit NvmlDriver(std::shared_ptr<const NvmlLibrary> library) : library_(std::move(library)) {}
  Result<unsigned> CountGpus() const;
  Result<KnownGpu> Know(const std::string& uuid);
  void LearnVersion();
  GpuHealth Read(const KnownGpu& known) const;

  std::shared_ptr<const NvmlLibrary> library_;
  std::vector<KnownGpu> gpus_;
  int driver_major_ = 0;
  bool has_inventory_ = false;
};

}  // namespace gp
