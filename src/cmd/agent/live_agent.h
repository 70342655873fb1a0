#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/agent/agent_config.h"

namespace gp {

// The warning about a state directory in /tmp: the system removes old files there, and jobs of such
// an agent have no private /tmp.
bool IsBelowTmp(const std::string& directory);
std::string TmpWarning(const std::string& directory);

// An agent with all its adapters, wired for this machine or a simulated one.
class LiveAgent {
 public:
  // kUnavailable: no driver here (names --simulate).
  static Result<std::unique_ptr<LiveAgent>> Open(const AgentConfig& config);
  virtual ~LiveAgent() = default;

  virtual void Run() = 0;   // until Stop
  virtual void Stop() = 0;  // any thread
  virtual const std::string& name() const = 0;
  virtual const std::vector<std::string>& warnings() const = 0;
};

}  // namespace gp
