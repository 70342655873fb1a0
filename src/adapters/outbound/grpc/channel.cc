#include "adapters/outbound/grpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "adapters/wire/call_deadline.h"
#include "lib/tls/authority.h"

namespace gp {

namespace {

// Servers of controllers permit a ping each three seconds.
constexpr int kPingEveryMs = 5'000;
constexpr int kPingTimeoutMs = 5'000;
// Long enough to take in what has happened to a connection meanwhile.
constexpr std::chrono::milliseconds kGlance{1};

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const ChannelSecurity& security) {
  if (security.authority.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials(
      {security.authority, security.identity.key, security.identity.certificate});
}

}  // namespace

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ChannelSecurity& security) {
  grpc::ChannelArguments arguments;
  // A controller's certificate always has this name, whatever the address, and no other certificate
  // has it.
  if (!security.authority.empty()) arguments.SetSslTargetNameOverride(kControllerName);
  arguments.SetMaxReceiveMessageSize(64 << 20);
  // By default gRPC waits a second and more between tries; a restarted controller is back sooner.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  if (security.is_one_of_several) {
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
    // By default it asks a quiet stream twice and never again.
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  }
  // Each channel connects separately: a new one after a failure does not inherit the old one's
  // back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Ignores a web proxy that is set in the environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, CredentialsOf(security), arguments);
}

bool TryConnecting(grpc::Channel& channel, std::chrono::milliseconds time_max) {
  const auto until = DeadlineIn(time_max);
  grpc_connectivity_state state = channel.GetState(true);
  while (state != GRPC_CHANNEL_READY && state != GRPC_CHANNEL_TRANSIENT_FAILURE &&
         channel.WaitForStateChange(state, until))
    state = channel.GetState(true);
  return state == GRPC_CHANNEL_READY;
}

void AwaitConnected(grpc::Channel& channel, std::chrono::milliseconds time_max) {
  const auto until = DeadlineIn(time_max);
  grpc_connectivity_state state = channel.GetState(true);
  if (state == GRPC_CHANNEL_READY && !channel.WaitForStateChange(state, DeadlineIn(kGlance)))
    return;
  state = channel.GetState(true);
  while (state != GRPC_CHANNEL_READY && channel.WaitForStateChange(state, until))
    state = channel.GetState(true);
}

}  // namespace gp
