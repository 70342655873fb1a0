#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

enum class GpuCareKind { kReset, kTest };

// The result of a task that has ended.
struct GpuCareResult {
  uint64_t number = 0;
  int gpu = 0;
  bool ok = false;
  std::string detail;  // the finding or the error, for people
};

// Carries out tasks on GPUs that nobody uses: resets and tests.  A task may take a minute and may
// hang; no call waits for one.  One thread (the agent's) calls it.
class GpuCare {
 public:
  virtual ~GpuCare() = default;

  // Starts task `number`; does nothing if that number was started before.  REQUIRES: no other task
  // runs on that GPU.
  virtual void Begin(uint64_t number, int gpu, GpuCareKind kind) = 0;
  // The results of all ended tasks that are not forgotten.
  virtual std::vector<GpuCareResult> Results() = 0;
  // Allows all other tasks to be forgotten once they have ended.
  virtual void KeepOnly(const std::vector<uint64_t>& numbers) = 0;
  // Readable when a task has ended; owned by this object.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
