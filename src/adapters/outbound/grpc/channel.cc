#include "adapters/outbound/grpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "lib/tls/authority.h"

namespace gp {

namespace {

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
  // Each channel connects separately: a new one after a failure does not inherit the old one's
  // back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Ignores a web proxy that is set in the environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, CredentialsOf(security), arguments);
}

}  // namespace gp
