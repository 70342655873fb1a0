#pragma once

// Client channels to a controller: "unix:/run/…/control.sock" or "host:port".

#include <grpcpp/channel.h>

#include <memory>
#include <string>

namespace gp {

std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address);

}  // namespace gp
