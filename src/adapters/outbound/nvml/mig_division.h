#pragma once

// Makes and removes instances of a GPU in MIG mode.  The calls may take long; whoever must not wait
// uses a process.

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"
#include "base/result.h"

namespace gp {

// Where an instance is, in memory slices of its GPU.
struct MigStand {
  unsigned start = 0;
  unsigned size = 0;
};

struct MadeInstance {
  std::string uuid;  // of the MIG device
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

class MigDivision {
 public:
  // kNotFound: no such GPU, or it cannot be opened.
  static Result<MigDivision> Open(std::shared_ptr<const NvmlLibrary> library,
                                  const std::string& uuid);

  // Turns MIG mode on, if it is off.  kConflict: somebody uses the GPU; kUnavailable: it needs a
  // reset first, or cannot.
  Status EnterMode();
  // A GPU instance of the profile that begins at `start`, with one compute instance that has all of
  // it.  The same that is there already is taken as it is; others in its place are removed first.
  // kConflict: a program uses them.
  Result<MadeInstance> Make(unsigned profile, unsigned start);
  // Every instance that has one of these slices.
  Status Remove(MigStand stand);
  // Every instance but those that stand exactly so.  The first failure, after all were tried.
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
