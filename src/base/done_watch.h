#pragma once

#include <functional>

namespace gp {

// Told again and again how much of some long work is done, from 0 to 1.
using DoneWatch = std::function<void(double done)>;

}  // namespace gp
