#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// An instance that exists.
struct MigDevice {
  std::string uuid;                   // "MIG-…": programs find the instance by it
  int gpu_instance = 0;               // the driver's number of it on its GPU
  std::vector<DeviceNumber> devices;  // its own, besides those of the GPU
};

// Creates and removes instances of GPUs in MIG mode: an instance exists while its job runs.  Both
// operations take a while and may fail, so each call only starts them; operations on one GPU run in
// the order of the calls.  One thread (the agent's) calls it.
class MigInstances {
 public:
  virtual ~MigInstances() = default;

  // Starts to create the instance at the first call for `key`; later calls return the result.
  // nullopt: not finished yet.  Other instances at that placement are removed, unless a program
  // uses them.  Errors: kConflict (in use), kUnavailable (the driver refuses or does not answer).
  virtual std::optional<Result<MigDevice>> Make(const std::string& key, const MigPart& part) = 0;
  // Removes the instance, if it exists; `key` may request one again afterwards.
  virtual void Remove(const std::string& key, const MigPart& part) = 0;
  // Removes all other instances of the GPU that no program uses.
  virtual void KeepOnly(int gpu, const std::vector<MigPart>& parts) = 0;
  // Readable from when Make has a new result until ClearEvents; owned by this object.
  virtual int EventDescriptor() const = 0;
  // To be called before results are looked at: one that comes later makes it readable again.
  virtual void ClearEvents() = 0;
};

}  // namespace gp
