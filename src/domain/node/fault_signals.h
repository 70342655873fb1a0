#pragma once

// Turns a node's observations of its GPUs into fault reports, one for each fault. XIDs come from
// the driver and from the kernel log; advice and losses come from readings.

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
  int gpu = 0;  // position in the node; -1: the node itself, or an unknown GPU
  int xid = 0;
  XidSource source = XidSource::kDriver;
  LeaseId lease;  // of the named program, or of the MIG instance; 0: unknown
  DriverAdvice advice = DriverAdvice::kUnknown;
  DriverAdvice reported = DriverAdvice::kUnknown;
  bool is_fatal = true;
  std::string text;
  SignalKind kind = SignalKind::kXid;  // or kFabric, kLost from the kernel log
  bool is_of_peer = false;
};

// Pairs the reports of both sources and drops repeated ones. All times are since boot: if the wall
// clock were stepped back, old errors would look recent. Not thread-safe.
class FaultSignals {
 public:
  // `first_number` is above all numbers that this node ever used. With a kernel log, a report of
  // the driver waits a moment for the log line that names the program.
  FaultSignals(uint64_t first_number, bool has_kernel_log)
      : next_number_(first_number), has_kernel_log_(has_kernel_log) {}

  void Saw(const SeenXid& seen, Instant at);
  void Read(int gpu, const GpuVitals& vitals, Instant at);
  // The GPU was reset: earlier errors neither explain nor limit later ones.
  void Renewed(int gpu);

  // Reports that are due, by number.
  std::vector<FaultSignal> Take(Instant at);
  // When the next report is due; nullopt: none waits.
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
  std::vector<FaultSignal> ready_;   // from readings
  std::map<int, GpuVitals> vitals_;  // by GPU
  // By GPU: the last XID, which may explain advice in readings
  std::map<int, Instant> xids_at_;
  std::map<int, Instant> fallen_at_;     // by GPU: the last report of its loss
  std::map<int, DriverAdvice> advised_;  // by GPU: the reported advice, while the driver gives it
};

}  // namespace gp
