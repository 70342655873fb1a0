#include "cmd/serve/agent_parts.h"

#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {

Status AgentPart::Start() {
  if (!config_.starts_agent || !config_.simulate.empty()) return Ok();
  AgentConfig config = config_.agent;
  config.controllers = {"unix:" + config_.run_directory + "/control.sock"};
  config.join_token = directories_.join_token();
  config.state_directory = config_.state_directory + "/agent";
  agent_ = std::make_unique<LiveAgent>(config, log_);
  const Status started = agent_->Start();
  if (started) return Ok();
  return Fail(started.error().Within(
      "no agent for this machine (--simulate dgx-h100 simulates one, --no-agent starts none)"));
}

void AgentPart::Stop() {
  if (agent_ == nullptr) return;
  agent_->Stop();
  agent_.reset();
}

Status SimulatedNodesPart::Start() {
  if (!config_.starts_agent || config_.simulate.empty()) return Ok();
  SimulatedAgents::Options options{config_.agent, config_.state_directory, config_.run_directory,
                                   config_.log == LogFormat::kJson};
  options.agent.simulate = config_.simulate;
  agents_ = GP_TRY(SimulatedAgents::Start(std::move(options)));
  log_.Write(LogLevel::kInfo,
             Count(agents_->count(), "simulated node") + ", " + config_.simulate +
                 ": placement, isolation and processes are real, the GPUs are not");
  return Ok();
}

void SimulatedNodesPart::Stop() {
  if (agents_) agents_->Stop();
}

void SimulatedNodesPart::StartOthers() {
  if (!agents_) return;
  const auto count_nodes = [this] {
    size_t nodes = 0;
    IgnoreResult(recovery_.loop().Read([&](const State& state) { nodes = state.nodes.all.size(); }),
                 "a controller that is down shows nothing");
    return nodes;
  };
  if (const Status others = agents_->StartOthers(count_nodes); !others)
    log_.Write(LogLevel::kWarning, others.error().message);
}

}  // namespace gp
