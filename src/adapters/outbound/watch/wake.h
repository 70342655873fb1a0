#pragma once

#include <unistd.h>

#include "base/ignore_result.h"

#include <cstdint>

namespace gp {

// Makes an eventfd readable and so wakes the thread that waits on it.
inline void Wake(int descriptor) {
  const uint64_t one = 1;
  IgnoreResult(write(descriptor, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

}  // namespace gp
