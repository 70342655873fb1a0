#pragma once

// Finds who uses more of a shared GPU's memory than granted: nothing else enforces it in turns, and
// an MPS server only as far as a job leaves its own environment alone.  A reading may be off by one
// allocation, so that several in a row must say the same.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ports/outbound/attempt_runner.h"

namespace gp {

struct MemoryGuardOptions {
  // Beyond the grant: what the driver keeps for a process is not all its own
  int64_t tolerance_mib = 512;
  int readings = 3;  // one after the other
};

struct MemoryOveruse {
  std::string key;  // of the attempt
  GpuPart part;
  int64_t used_mib = 0;
  bool operator==(const MemoryOveruse&) const = default;
};

class MemoryGuard {
 public:
  explicit MemoryGuard(MemoryGuardOptions options) : options_(options) {}

  // A reading of one GPU: what each attempt's processes use there, and the parts granted of it. Who
  // has used too much in as many readings as it takes, by key; told in each further one too.
  std::vector<MemoryOveruse> Read(int gpu, const std::map<std::string, int64_t>& used_mib,
                                  const std::map<std::string, GpuPart>& granted);

 private:
  const MemoryGuardOptions options_;
  std::map<std::pair<std::string, int>, int> over_;  // attempt and GPU: readings in a row
};

// "used 5000 MiB of the memory of GPU 3, of which it was granted 2000 MiB"
std::string ToText(const MemoryOveruse& overuse);

}  // namespace gp
