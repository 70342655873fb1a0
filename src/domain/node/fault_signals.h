#pragma once

// From what a node sees of its GPUs to reports of faults, each of it once: XIDs come from the
// driver and from the kernel's log, advice and losses from readings.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/faults/health.h"
#include "domain/faults/signal.h"

namespace gp {

enum class XidSource { kDriver, kKernelLog };

struct SeenXid {
  int gpu = 0;  // position in the node; -1: the node itself, or a GPU that is not known
  int xid = 0;
  XidSource source = XidSource::kDriver;
  LeaseId lease;  // of the program named, or of the MIG instance; 0: unknown
  DriverAdvice advice = DriverAdvice::kUnknown;
  DriverAdvice reported = DriverAdvice::kUnknown;
  bool is_fatal = true;
  std::string text;
  SignalKind kind = SignalKind::kXid;  // or kFabric, kLost: the kernel's log says such things too
  bool is_of_peer = false;
};

// All times are since boot: a wall clock that is stepped back would make errors of long ago look
// near.
class FaultSignals {
 public:
  // `first_number` is above all that this node ever gave; with a kernel log, what the driver tells
  // waits a moment for the line that names the program.
  FaultSignals(uint64_t first_number, bool has_kernel_log)
      : next_number_(first_number), has_kernel_log_(has_kernel_log) {}

  void Saw(const SeenXid& seen, Instant at);
  void Read(int gpu, const GpuVitals& vitals, Instant at);
  // It was reset: errors from before explain none that come, and count towards no flood.
  void Renewed(int gpu);

  // Those that may be told now, by number.
  std::vector<FaultSignal> Take(Instant at);
  // When the next may be told; nullopt: none waits.
  std::optional<Instant> NextAt() const;

 private:
  struct Open {
    SeenXid seen;
    Instant at;
    Instant report_at;
    bool by_driver = false;
    bool by_kernel = false;
    bool is_reported = false;
  };
  FaultSignal Number(FaultSignal signal);

  uint64_t next_number_;
  const bool has_kernel_log_;
  std::vector<Open> open_;           // of the last seconds
  std::vector<FaultSignal> ready_;   // found by readings
  std::map<int, GpuVitals> vitals_;  // by GPU
  // By GPU: the last one, which may explain the advice that readings show
  std::map<int, Instant> xids_at_;
  std::map<int, Instant> fallen_at_;     // by GPU: the last that told of its loss
  std::map<int, DriverAdvice> advised_;  // by GPU: what was told, as long as the driver asks for it
};

}  // namespace gp
