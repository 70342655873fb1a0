#pragma once

#include <string>

namespace gp {

// Whether the parent of this process is who listens at this Unix socket, by the kernel's word: an
// agent that `serve` has started is the child of its own controller.
bool IsParentListening(const std::string& socket_path);

}  // namespace gp
