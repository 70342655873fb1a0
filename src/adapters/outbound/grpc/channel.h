#pragma once

// Client channels to a controller: "unix:/run/…/control.sock" or "host:port".

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "lib/tls/certificate.h"

namespace gp {

// How a channel is encrypted, and the identity that the client presents.
struct ChannelSecurity {
  // CA certificate (PEM) that the controller's is checked against; empty: no encryption
  std::string authority;
  Identity identity;  // the client's: a node's certificate; empty: none is presented
};

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ChannelSecurity& security = {});

}  // namespace gp
