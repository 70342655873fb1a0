#pragma once

#include <string>

namespace gp {

// Whether the parent of this process listens at this Unix socket, as the kernel reports it: an
// agent that `serve` has started is the child of its own controller.
bool IsParentListening(const std::string& socket_path);

}  // namespace gp
