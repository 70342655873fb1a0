#pragma once

#include <string>

namespace gp {

// The name of this host; "localhost" if it has none.
std::string HostName();

}  // namespace gp
