#pragma once

#include <span>

namespace gp::rsh {

// The executable file of gpu-platform-rsh, carried inside the agent's program.
std::span<const unsigned char> RshImage();

}  // namespace gp::rsh
