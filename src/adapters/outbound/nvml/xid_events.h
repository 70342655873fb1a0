#pragma once

// XIDs (the driver's numbered error reports) as they happen.  The one part of the adapter that may
// be used in a thread of its own while NvmlDriver is used in another.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/library.h"
#include "base/time.h"

namespace gp {

struct XidEvent {
  std::string gpu_uuid;
  int xid = 0;
  std::optional<int> gpu_instance;  // nullopt: no MIG instance named
  std::optional<int> compute_instance;
};

class XidEvents {
 public:
  // Subscribes to every GPU that can tell; the others are named in warnings().  A GPU that comes
  // back from a reset must be subscribed to anew: open another XidEvents.
  static Result<std::unique_ptr<XidEvents>> Open(std::shared_ptr<const NvmlLibrary> library);
  // To the GPU with this UUID alone.
  static Result<std::unique_ptr<XidEvents>> OpenOne(std::shared_ptr<const NvmlLibrary> library,
                                                    const std::string& uuid);

  ~XidEvents();
  XidEvents(const XidEvents&) = delete;
  XidEvents& operator=(const XidEvents&) = delete;

  // The next event, or nullopt after `timeout` without one.  kUnavailable: the driver has lost a
  // GPU or itself; it does not tell which, so ask NvmlDriver::Health(), and wait before the next
  // call, which may fail at once again.
  Result<std::optional<XidEvent>> Wait(Duration timeout);

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Subscription {
    std::string uuid;
    nvmlDevice_t device;
  };

  explicit XidEvents(std::shared_ptr<const NvmlLibrary> library) : library_(std::move(library)) {}
  Status CreateSet();
  void SubscribeAt(unsigned index);
  void Subscribe(nvmlDevice_t device, const std::string& uuid);

  std::shared_ptr<const NvmlLibrary> library_;
  nvmlEventSet_t set_ = {};
  bool has_set_ = false;
  std::vector<Subscription> subscriptions_;
  std::vector<std::string> warnings_;
};

}  // namespace gp
