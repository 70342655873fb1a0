#pragma once

// Instances of GPUs in MIG mode, made where a job is to run and removed after it.  Both take a
// while and may fail, so each call only begins it; what is begun on one GPU is done in that order.
// One thread (the agent's) calls it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// An instance that is there.
struct MigDevice {
  std::string uuid;                   // "MIG-…": what programs find it by
  int gpu_instance = 0;               // as the driver numbers it on its GPU
  std::vector<DeviceNumber> devices;  // its own, besides those of the GPU
};

class MigInstances {
 public:
  virtual ~MigInstances() = default;

  // Makes the instance that `key` asks for, the first time that it asks; nullopt: not yet known how
  // that ends.  Whatever else is where it shall stand is removed, unless a program uses it. Errors:
  // kConflict (in use), kUnavailable (the driver refuses or does not answer).
  virtual std::optional<Result<MigDevice>> Make(const std::string& key, const MigPart& part) = 0;
  // Removes what is there, if it is; after it, `key` may ask anew.
  virtual void Remove(const std::string& key, const MigPart& part) = 0;
  // Removes everything from the GPU but these, as far as no program uses it.
  virtual void KeepOnly(int gpu, const std::vector<MigPart>& parts) = 0;
  // Readable when Make knows more; owned by it.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
