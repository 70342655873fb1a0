#pragma once

#include <span>

namespace gp {

// The supervisor's executable file, carried inside this program.
std::span<const unsigned char> SupervisorImage();

}  // namespace gp
