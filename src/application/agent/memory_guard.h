#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"

namespace gp {

struct MemoryGuardOptions {
  // Allowed beyond the grant, because the driver counts memory of its own as the process's
  int64_t tolerance_mib = 512;
  int readings = 3;  // consecutive readings that must show overuse
};

// An attempt that uses more memory of a GPU than granted.
struct MemoryOveruse {
  std::string key;  // of the attempt
  GpuPart part;
  int64_t used_mib = 0;
  bool operator==(const MemoryOveruse&) const = default;
};

// Finds attempts that use more memory of a shared GPU than granted.  With time slices nothing else
// enforces the grant, and an MPS server does only if the job does not change its environment.  One
// reading may be off by an allocation, so several in a row must agree.
class MemoryGuard {
 public:
  explicit MemoryGuard(MemoryGuardOptions options) : options_(options) {}

  // Takes a reading of one GPU: the memory that each attempt's processes use, and the grants, both
  // by key.  Returns the attempts with overuse in enough consecutive readings, this one included.
  std::vector<MemoryOveruse> Read(int gpu, const std::map<std::string, int64_t>& used_mib,
                                  const std::map<std::string, GpuPart>& granted);

 private:
  const MemoryGuardOptions options_;
  std::map<std::pair<std::string, int>, int> over_;  // attempt and GPU: readings in a row
};

// "used 5000 MiB of the memory of GPU 3, of which it was granted 2000 MiB"
std::string ToText(const MemoryOveruse& overuse);

}  // namespace gp
