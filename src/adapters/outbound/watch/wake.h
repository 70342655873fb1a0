#pragma once

#include <unistd.h>

#include <cstdint>

namespace gp {

// Makes an eventfd readable and so wakes the thread that waits on it.
inline void Wake(int descriptor) {
  const uint64_t one = 1;
  (void)!write(descriptor, &one, sizeof one);
}

}  // namespace gp
