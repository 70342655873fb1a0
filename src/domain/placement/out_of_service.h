#pragma once

// GPUs that are granted to nobody because of what they are, and the node as it would be without
// that.

#include "domain/model/node.h"
#include "domain/placement/gpu_score.h"

namespace gp {

// The positions of GPUs that are out of service for a rank of `gpus` GPUs; retired ones no longer
// belong to the node.
GpuMask OutOfService(const Node& node, int gpus);

// The node in service with all of its GPUs; what is granted on it stays so.
Node Repaired(const Node& node);

// What is the matter with such a GPU: "is missing", "is being tested".
const char* WhatAils(const Node& node, int gpu);

}  // namespace gp
