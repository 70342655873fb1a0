#pragma once

#include <memory>
#include <string>
#include <thread>

#include "adapters/outbound/process/file_log_reader.h"
#include "adapters/outbound/tcp_ports/held_port_blocks.h"
#include "application/agent/agent_loop.h"
#include "cmd/agent/attempt_parts.h"
#include "cmd/agent/log_keeper.h"

namespace gp {

// The warning about a state directory in /tmp: the system removes old files there, and jobs of such
// an agent have no private /tmp.
std::string TmpWarning(const std::string& directory);

// The loop of the agent, on a thread of its own.
class AgentLoopPart : public Component {
 public:
  AgentLoopPart(const AgentConfig& config, OperatorLog& log, Clock& clock, NodePart& node,
                AttemptsPart& attempts, LinkPart& link, GpusPart& gpus)
      : config_(config),
        log_(log),
        clock_(clock),
        node_(node),
        attempts_(attempts),
        link_(link),
        gpus_(gpus) {}
  Status Start() override;
  void Stop() override;

 private:
  Result<AgentOptions> MakeOptions();
  Status AddDevices(LaunchOptions& launch) const;

  const AgentConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  NodePart& node_;
  AttemptsPart& attempts_;
  LinkPart& link_;
  GpusPart& gpus_;
  FileLogReader logs_;
  HeldPortBlocks port_blocks_;
  std::unique_ptr<AgentLoop> loop_;
  std::unique_ptr<LogKeeper> log_keeper_;
  std::thread thread_;
};

// An agent with all its adapters, for this machine or a simulated one.
class LiveAgent {
 public:
  LiveAgent(const AgentConfig& config, OperatorLog& log) : config_(config), log_(log) {}

  // kUnavailable: no driver here (names --simulate).
  Status Start() { return parts_.Start(); }
  // Jobs keep running.
  void Stop() { parts_.Stop(); }
  const std::string& name() const { return node_.name(); }

 private:
  const AgentConfig config_;
  OperatorLog& log_;
  SystemClock clock_;
  Components parts_;
  // In the order in which they start; they stop in the reverse order.
  HostPart& host_ = parts_.Add<HostPart>(config_);
  NodePart& node_ = parts_.Add<NodePart>(config_, log_);
  LinkPart& link_ = parts_.Add<LinkPart>(config_, clock_, node_);
  AttemptsPart& attempts_ = parts_.Add<AttemptsPart>(config_, log_, clock_);
  GpusPart& gpus_ = parts_.Add<GpusPart>(config_, log_, clock_, node_, attempts_);
  AgentLoopPart& loop_ =
      parts_.Add<AgentLoopPart>(config_, log_, clock_, node_, attempts_, link_, gpus_);
};

}  // namespace gp
