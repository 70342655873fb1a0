#pragma once

// What this machine, or a simulated one, needs so that jobs share its GPUs: the control program of
// MPS, and the runner that enforces the sharing.

#include <memory>
#include <string>

#include "application/agent/sharing_runner.h"
#include "cmd/agent/agent_config.h"
#include "domain/model/nodes/node.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Empty: there is none, or none is wanted. kNotFound: the named program does not exist.
Result<std::string> FindMpsControl(const AgentConfig& config);

// Marks each GPU on which MPS servers can run: with `control`, from compute capability 7.0 on.
void MarkMps(const DriverInventory& inventory, const std::string& control, NodeFacts& facts);

// `runner`, `watch` and `clock` outlive it.
std::unique_ptr<SharingRunner> MakeSharingRunner(const AgentConfig& config,
                                                 const std::string& control, uint64_t incarnation,
                                                 AttemptRunner& runner, GpuWatch& watch,
                                                 Clock& clock);

}  // namespace gp
