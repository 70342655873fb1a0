#pragma once

// What jobs get of the driver of this machine's GPUs, or of simulated ones: its files in images,
// and the device files by which they draw.

#include "application/agent/launch/launch.h"
#include "cmd/agent/agent_config.h"
#include "domain/model/nodes/node.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// Whether jobs can draw on GPUs of this machine.
bool DriverDraws();

// Says in the log which files of the driver it has found.
Status AddDriver(const AgentConfig& config, OperatorLog& log, LaunchOptions& launch);

// The device files of simulated GPUs that draw, in `directory`.
Status MakeSimulatedRenderNodes(const std::string& directory, const NodeFacts& facts);

}  // namespace gp
