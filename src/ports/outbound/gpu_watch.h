#pragma once

// How each GPU of the host is, and what the driver reports of it as it happens.  Every GPU is
// watched by itself, so that one whose driver calls hang hides no other.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

inline constexpr Duration kReadInterval = Duration::Seconds(1);
// What is older says nothing of now.
inline constexpr Duration kReadingStaleAfter = kReadInterval * 3;

struct GpuReading {
  std::optional<GpuHealth> health;  // nullopt: never read
  // Since that reading; of a GPU never read: since the watch began
  int64_t age_ns = 0;
  std::string error;  // why there is no newer one; empty: nothing is wrong
};

// An XID as the driver told it, without the kernel log's text.
struct XidSighting {
  int gpu = 0;  // position in the node
  int xid = 0;
  std::optional<int> gpu_instance;  // of MIG
  std::optional<int> compute_instance;
  std::optional<RecoveryAction> advice;  // what the driver asks for right after it
  std::string uuid;                      // of the GPU that it is of, by the driver
};

class GpuWatch {
 public:
  virtual ~GpuWatch() = default;

  // By position in the node.
  virtual std::vector<GpuReading> Latest() = 0;
  // Those since the last call, in order.
  virtual std::vector<XidSighting> TakeXids() = 0;
  // Readable when there are new XIDs, or a reading that says something else than the one before;
  // owned by the watch.
  virtual int EventDescriptor() const = 0;
};

}  // namespace gp
