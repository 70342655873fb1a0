#include "adapters/outbound/grpc/controller_addresses.h"

#include "base/text.h"

namespace gp {

std::string ControllerAddresses::Present() const {
  const std::lock_guard lock(mutex_);
  return addresses_[present_];
}

void ControllerAddresses::Leave(const std::string& address) {
  const std::lock_guard lock(mutex_);
  if (addresses_[present_] == address) present_ = (present_ + 1) % addresses_.size();
}

std::string ControllerAddresses::ToText() const { return Join(addresses_, ", "); }

}  // namespace gp
