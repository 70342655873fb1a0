#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "adapters/outbound/grpc/controller_addresses.h"

namespace gp {

// A channel to whichever address of a cluster's controllers answers.  One thread uses it.
class ControllerChannel {
 public:
  // `authority`: as in ChannelSecurity; empty: the traffic is not encrypted.
  ControllerChannel(std::shared_ptr<ControllerAddresses> addresses, std::string authority)
      : addresses_(std::move(addresses)), authority_(std::move(authority)) {}

  const ControllerAddresses& addresses() const { return *addresses_; }
  // Tries each address once, beginning with the present one, until it is connected.  False: no
  // controller answers at any of them.
  bool Reach();
  // To the present address; it may be unconnected.
  const std::shared_ptr<grpc::Channel>& channel();
  // Nobody answered a call on the channel: the next one goes to the next address, or, where there
  // is only one, over another connection.
  void Leave();

 private:
  const std::shared_ptr<ControllerAddresses> addresses_;
  const std::string authority_;
  std::string address_;                     // of the channel
  std::shared_ptr<grpc::Channel> channel_;  // nullptr: none is open
};

}  // namespace gp
