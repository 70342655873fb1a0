#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

inline constexpr Duration kReadInterval = Duration::Seconds(1);
// An older reading says nothing about the present.
inline constexpr Duration kReadingStaleAfter = kReadInterval * 3;

// The newest reading of one GPU.
struct GpuReading {
  std::optional<GpuHealth> health;  // nullopt: never read
  // Since that reading; for a GPU that was never read: since the watch started
  int64_t age_ns = 0;
  std::string error;  // why there is no newer reading; empty: no error
};

// An XID as the driver reported it, without the text of the kernel log.
struct XidSighting {
  int gpu = 0;  // position in the node
  int xid = 0;
  std::optional<int> gpu_instance;  // of MIG
  std::optional<int> compute_instance;
  std::optional<RecoveryAction> advice;  // of the driver, read right after the XID
  std::string uuid;                      // of the GPU, as the driver reports it
};

// Readings of the host's GPUs, and the driver's reports as they happen.  Each GPU is watched
// independently, so that one GPU whose driver calls hang does not hide others.  One thread (the
// agent's) calls it.
class GpuWatch {
 public:
  virtual ~GpuWatch() = default;

  // The newest reading of each GPU, by position in the node.
  virtual std::vector<GpuReading> Latest() = 0;
  // XIDs since the last call, in order.
  virtual std::vector<XidSighting> TakeXids() = 0;
  // Readable when there are new XIDs, or a reading that differs from the one before; owned by the
  // watch.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
