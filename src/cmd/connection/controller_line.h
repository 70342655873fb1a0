#pragma once

// A connection to the controller, wherever it is, with the caller's credentials.

#include <chrono>
#include <memory>
#include <string>

#include "adapters/outbound/grpc/control_client.h"
#include "base/result.h"

namespace gp {

// The deadline of a call whose answer needs no work.
inline constexpr auto kCallTime = std::chrono::seconds(5);

// `place`: the value of --server: a directory of sockets, an address or a list of them; empty: that
// of the login, else the user's own controller or the machine's.
Result<std::string> PlaceOfController(const std::string& place);
// kUnavailable: no controller answers there; kUnauthenticated: no token for that address;
// kInvalidArgument: this is no place.
Result<std::unique_ptr<ControlClient>> OpenController(
    const std::string& place,
    ControlClient::WhenKilled when_killed = ControlClient::WhenKilled::kWait);

}  // namespace gp
