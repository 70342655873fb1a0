#pragma once

// What GPUs of two kinds can be divided into (NVIDIA's MIG user guide), for tests of the core.

#include "domain/model/nodes/mig.h"

namespace gp {

MigTable A100Mig();  // seven slices of compute, eight of memory
MigTable A30Mig();   // four and four

}  // namespace gp
