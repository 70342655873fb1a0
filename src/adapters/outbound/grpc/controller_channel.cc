#include "adapters/outbound/grpc/controller_channel.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "adapters/outbound/grpc/channel.h"
#include "base/text.h"
#include "lib/tls/certificate.h"
#include "lib/tls/fetch_authority.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kConnectTime{5'000};
// With other addresses left: a process that is suspended accepts connections, and says nothing.
constexpr std::chrono::milliseconds kConnectTimeOfSeveral{1'500};
// Of one who has just refused a connection.
constexpr std::chrono::milliseconds kFaultTime{1'000};

}  // namespace

Status ControllerChannel::Reach() {
  using Clock = std::chrono::steady_clock;
  const auto time_max = addresses_->are_several() ? kConnectTimeOfSeveral : kConnectTime;
  std::vector<std::pair<std::string, bool>> tried;  // and whether it was silent
  for (size_t left = addresses_->size(); left > 0; --left) {
    const auto begun = Clock::now();
    if (TryConnecting(*channel(), time_max)) return Ok();
    tried.emplace_back(address_, Clock::now() - begun >= time_max);
    Leave();
  }
  std::vector<Error> faults;
  for (const auto& [address, is_silent] : tried) faults.push_back(FaultAt(address, is_silent));
  return Fail(FaultOf(faults));
}

// gRPC does not say why a channel is not connected, so the server is asked for its certificates
// once more.
Error ControllerChannel::FaultAt(const std::string& address, bool is_silent) const {
  if (is_silent) return Unavailable(address + ": no answer");
  const auto facts = ReadCertificate(authority_);
  if (!facts) return Unavailable(address + ": the connection is refused");
  const auto fetched = FetchAuthority(address, facts->fingerprint, kFaultTime);
  if (!fetched) return fetched.error();
  return Unavailable(address +
                     ": its certificate is refused, or it has only just started: is the clock of "
                     "this machine right?");
}

Error ControllerChannel::FaultOf(const std::vector<Error>& faults) const {
  std::vector<std::string> messages;
  for (const Error& fault : faults) messages.push_back(fault.message);
  const std::string all = Join(messages, "; ");
  const bool are_others = std::ranges::all_of(
      faults, [](const Error& fault) { return fault.code == ErrorCode::kPermissionDenied; });
  if (are_others) return PermissionDenied(all);
  const std::string place =
      addresses_->are_several()
          ? "any of " + addresses_->ToText() +
                ": is one of them running (systemctl status gpu-platform), and does it lead?"
          : addresses_->ToText() + ": is it running (systemctl status gpu-platform)?";
  return Unavailable("no controller answers at " + place + " (" + all + ")");
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
