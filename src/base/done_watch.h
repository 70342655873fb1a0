#pragma once

#include <functional>

namespace gp {

// Receives the progress of a long operation, from 0 to 1, several times.
using DoneWatch = std::function<void(double done)>;

}  // namespace gp
