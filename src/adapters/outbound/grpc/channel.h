#pragma once

// Client channels to a controller: "unix:/run/…/control.sock" or "host:port".

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "adapters/certificates/certificate.h"

namespace gp {

// How the way there is hidden, and who comes.
struct ChannelSecurity {
  // Its certificate (PEM): it vouches for the controller; empty: nothing is encrypted
  std::string authority;
  Identity identity;  // of the node that comes; empty: none is shown
};

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ChannelSecurity& security = {});

}  // namespace gp
