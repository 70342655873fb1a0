#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/grpc/controller_addresses.h"
#include "base/result.h"

namespace gp {

// A channel to whichever address of a cluster's controllers answers.  One thread uses it.
class ControllerChannel {
 public:
  // `authority`: as in ChannelSecurity; empty: the traffic is not encrypted.
  ControllerChannel(std::shared_ptr<ControllerAddresses> addresses, std::string authority)
      : addresses_(std::move(addresses)), authority_(std::move(authority)) {}

  const ControllerAddresses& addresses() const { return *addresses_; }
  // Tries each address once, beginning with the present one, until it is connected.
  // kPermissionDenied: other authorities vouch for all who answer there; kUnavailable: at one of
  // them no controller answers.  The message says what is wrong at which address.
  Status Reach();
  // To the present address; it may be unconnected.
  const std::shared_ptr<grpc::Channel>& channel();
  // Nobody answered a call on the channel: the next one goes to the next address, or, where there
  // is only one, over another connection.
  void Leave();

 private:
  Error FaultAt(const std::string& address, bool is_silent) const;
  Error FaultOf(const std::vector<Error>& faults) const;

  const std::shared_ptr<ControllerAddresses> addresses_;
  const std::string authority_;
  std::string address_;                     // of the channel
  std::shared_ptr<grpc::Channel> channel_;  // nullptr: none is open
};

}  // namespace gp
