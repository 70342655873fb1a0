#include "adapters/outbound/grpc/controller_channel.h"

#include <chrono>

#include "adapters/outbound/grpc/channel.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kConnectTime{5'000};
// With other addresses left: a process that is suspended accepts connections, and says nothing.
constexpr std::chrono::milliseconds kConnectTimeOfSeveral{1'500};

}  // namespace

bool ControllerChannel::Reach() {
  const auto time_max = addresses_->are_several() ? kConnectTimeOfSeveral : kConnectTime;
  for (size_t left = addresses_->size(); left > 0; --left) {
    if (TryConnecting(*channel(), time_max)) return true;
    if (addresses_->are_several()) Leave();
  }
  return false;
}

const std::shared_ptr<grpc::Channel>& ControllerChannel::channel() {
  if (channel_ == nullptr) {
    address_ = addresses_->Present();
    channel_ = OpenChannel(address_, {authority_, {}, addresses_->are_several()});
  }
  return channel_;
}

// A new channel inherits neither the back-off nor the failure of the old one.
void ControllerChannel::Leave() {
  const bool is_connected = channel_ != nullptr && channel_->GetState(false) == GRPC_CHANNEL_READY;
  if (is_connected && !addresses_->are_several()) return;
  channel_.reset();
  addresses_->Leave(address_);
}

}  // namespace gp
