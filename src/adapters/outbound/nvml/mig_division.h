#pragma once

// Creates and removes instances of a GPU in MIG mode.

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"
#include "base/result.h"

namespace gp {

// Placement of a GPU instance, in memory slices of its GPU.
struct MigStand {
  unsigned start = 0;
  unsigned size = 0;
};

struct MadeInstance {
  std::string uuid;  // of the MIG device
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

// The instances of one GPU.  Calls may take long, so a caller that must not wait runs them in a
// separate process.  One call at a time.
class MigDivision {
 public:
  // kNotFound: no such GPU, or it cannot be opened.
  static Result<MigDivision> Open(std::shared_ptr<const NvmlLibrary> library,
                                  const std::string& uuid);

  // Turns MIG mode on if it is off. kConflict: the GPU is in use; kUnavailable: it needs a reset
  // first, or MIG mode cannot be turned on.
  Status EnterMode();
  // Creates a GPU instance of the profile that begins at `start`, with one compute instance that
  // has all of it.  An identical instance that exists is reused; others that overlap it are removed
  // first. kConflict: a program uses them.
  Result<MadeInstance> Make(unsigned profile, unsigned start);
  // Removes every instance that overlaps these slices.
  Status Remove(MigStand stand);
  // Removes every instance except those at exactly these placements.  Tries all of them, then
  // returns the first failure.
  Status KeepOnly(const std::vector<MigStand>& stands);

 private:
  struct Instance {
    nvmlGpuInstance_t handle;
    nvmlGpuInstanceInfo_t info;
  };

  MigDivision(std::shared_ptr<const NvmlLibrary> library, nvmlDevice_t device)
      : library_(std::move(library)), device_(device) {}
  const NvmlFunctions& nvml() const { return library_->functions(); }
  Status Check(nvmlReturn_t result, const std::string& what) const;
  std::vector<unsigned> ProfileIds() const;
  std::vector<Instance> Instances() const;
  std::vector<nvmlComputeInstanceProfileInfo_t> ComputeProfilesOf(const Instance& instance) const;
  std::vector<nvmlComputeInstance_t> ComputeInstancesOf(const Instance& instance) const;
  Status Remove(const Instance& instance);
  Result<MigStand> StandOf(unsigned profile, unsigned start) const;
  Result<Instance> Create(unsigned profile, MigStand stand);
  Result<unsigned> WholeProfileOf(const Instance& instance) const;
  Result<unsigned> ComputeInstanceOf(const Instance& instance);
  Result<std::string> UuidOf(unsigned gpu_instance, unsigned compute_instance) const;

  std::shared_ptr<const NvmlLibrary> library_;
  nvmlDevice_t device_;
};

}  // namespace gp
