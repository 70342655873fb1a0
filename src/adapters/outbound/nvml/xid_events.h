#pragma once

// XIDs (the driver's numbered error reports) as they happen.

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

// A subscription to XIDs.  It may be used on one thread while NvmlDriver is used on another.
class XidEvents {
 public:
  // Subscribes to every GPU that supports events; warnings() names the others.  A GPU that was
  // reset needs a new subscription: open another XidEvents.
  static Result<std::unique_ptr<XidEvents>> Open(std::shared_ptr<const NvmlLibrary> library);
  // Subscribes only to the GPU with this UUID.
  static Result<std::unique_ptr<XidEvents>> OpenOne(std::shared_ptr<const NvmlLibrary> library,
                                                    const std::string& uuid);

  ~XidEvents();
  XidEvents(const XidEvents&) = delete;
  XidEvents& operator=(const XidEvents&) = delete;

  // The next event, or nullopt if none arrives within `timeout`. kUnavailable: the driver has lost
  // a GPU or has failed itself.  NVML does not say which, so call NvmlDriver::Health(), and wait
  // before the next call, which may fail at once again.
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
