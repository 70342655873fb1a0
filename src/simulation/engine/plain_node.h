#pragma once

#include "domain/model/nodes/node.h"

namespace gp {

// An invented node: two sockets with 56 cores and 1 TiB each, and 18 NVLinks between each pair of
// GPUs.
NodeFacts PlainNode(int number, int gpus);

}  // namespace gp
