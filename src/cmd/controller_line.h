#pragma once

// A line to the controller, wherever it is, with the proof of who calls.

#include <memory>
#include <string>

#include "adapters/outbound/grpc/control_client.h"
#include "base/result.h"

namespace gp {

// `place`: what --server says; a directory of sockets, an address, or empty: where one is logged
// in, else one's own or the machine's.
Result<std::string> PlaceOfController(const std::string& place);
// kUnavailable: nobody answers there; kUnauthenticated: no token for that address.
Result<std::unique_ptr<ControlClient>> OpenController(const std::string& place);

}  // namespace gp
