#pragma once

// Client channels to a controller: "unix:/run/…/control.sock" or "host:port".

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <string>

#include "lib/tls/certificate.h"

namespace gp {

// How a channel is encrypted, and the identity that the client presents.
struct ChannelSecurity {
  // CA certificate (PEM) that the controller's is checked against; empty: no encryption
  std::string authority;
  Identity identity;  // the client's: a node's certificate; empty: none is presented
  // Other controllers answer, too: one that is silent during a call is left within ten seconds.
  bool is_one_of_several = false;
};

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address,
                                           const ChannelSecurity& security = {});

// True: connected.  False: one try has failed, or the time is over.
bool TryConnecting(grpc::Channel& channel, std::chrono::milliseconds time_max);

// A channel whose connection broke notices that, and connects again, only while somebody waits for
// it; until then its calls fail with what was true before.  Call this before a call on a channel
// that was unused for a time.  Returns when it is connected, or the time is over.
void AwaitConnected(grpc::Channel& channel, std::chrono::milliseconds time_max);

}  // namespace gp
