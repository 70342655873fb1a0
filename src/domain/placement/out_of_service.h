#pragma once

// GPUs that are not granted because of their condition, and the node as it would be after repairs.

#include "domain/model/nodes/node.h"
#include "domain/placement/gpu_score.h"

namespace gp {

// The positions of GPUs that are out of service for a rank with `gpus` GPUs; without retired GPUs,
// which no longer belong to the node.
GpuMask OutOfService(const Node& node, int gpus);

// The node in service with all of its GPUs, and with its current grants.
Node Repaired(const Node& node);

// The problem of such a GPU: "is missing", "is being tested".
const char* WhatAils(const Node& node, int gpu);

}  // namespace gp
