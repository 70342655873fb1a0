#pragma once

// Carries out what a node is told to do with a GPU that nobody uses: to reset it, to test it.  Both
// may take a minute, and may hang: nothing here waits for them.

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

enum class GpuCareKind { kReset, kTest };

struct GpuCareResult {
  uint64_t number = 0;
  int gpu = 0;
  bool ok = false;
  std::string detail;  // what was found, or what went wrong
};

class GpuCare {
 public:
  virtual ~GpuCare() = default;

  // Begins task `number`; a number that was begun before is not begun again.
  virtual void Begin(uint64_t number, int gpu, GpuCareKind kind) = 0;
  // Of the tasks that have ended and were not forgotten.
  virtual std::vector<GpuCareResult> Results() = 0;
  // All but these may be forgotten when they have ended.
  virtual void KeepOnly(const std::vector<uint64_t>& numbers) = 0;
  // Readable when a task has ended; owned by this.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
