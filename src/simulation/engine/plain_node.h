#pragma once

#include "domain/model/node.h"

namespace gp {

// An invented node: two sockets of 56 cores and 1 TiB, every pair of GPUs linked by 18 NVLinks.
NodeFacts PlainNode(int number, int gpus);

}  // namespace gp
