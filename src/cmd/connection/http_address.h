#pragma once

// The HTTP address of this machine's controller, found by its directory of sockets.

#include <optional>
#include <string>

#include "base/result.h"

namespace gp {

// "http://127.0.0.1:8080"; nullopt: it does not serve HTTP over TCP.
std::optional<std::string> ReadHttpAddress(const std::string& run_directory);
Status KeepHttpAddress(const std::string& run_directory, const std::string& address);
void ForgetHttpAddress(const std::string& run_directory);

}  // namespace gp
