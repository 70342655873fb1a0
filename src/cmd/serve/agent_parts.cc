#include "cmd/serve/agent_parts.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "adapters/outbound/machine_file/machine_file.h"
#include "application/agent/node_facts.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr int kPlayedNodesMax = 20'000;
constexpr Duration kRunTimeMax = Duration::Minutes(60 * 24 * 365);

// What a played node does with a job: `sleep N` takes N seconds, everything else no time.
Duration RunTimeOf(const v1::JobSpec& spec) {
  if (spec.command_size() != 2 || spec.command(0) != "sleep") return Duration{};
  auto time = ParseDuration(spec.command(1));  // "5m"
  if (!time) time = ParseDuration(spec.command(1) + "s");
  return time ? std::min(*time, kRunTimeMax) : Duration{};
}

size_t CountNodes(RecoveryPart& recovery) {
  size_t nodes = 0;
  IgnoreResult(recovery.loop().Read([&](const State& state) { nodes = state.nodes.all.size(); }),
               "a controller that is down shows nothing");
  return nodes;
}

size_t CountOwnNodes(const ControllerConfig& config) {
  if (!config.starts_agent) return 0;
  if (config.simulate.empty()) return 1;
  const auto simulated = ParseSimulate(config.simulate, kPlayedNodesMax);
  return simulated ? static_cast<size_t>(simulated->second) : 0;
}

}  // namespace

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
  if (!config_.starts_agent || config_.simulate.empty() || config_.is_light) return Ok();
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
  const Status others = agents_->StartOthers([this] { return CountNodes(recovery_); });
  if (!others) log_.Write(LogLevel::kWarning, others.error().message);
}

Status PlayedNodesPart::Start() {
  if (!config_.starts_agent || !config_.is_light) return Ok();
  const auto [machine, nodes] = GP_TRY(ParseSimulate(config_.simulate, kPlayedNodesMax));
  const MachineFile file = GP_TRY(ReadMachineFile(GP_TRY(MachineFilePath(machine))));
  PlayedNodes::Options options;
  options.controller = {
      {"unix:" + config_.run_directory + "/control.sock"}, directories_.join_token(), RunTimeOf};
  options.machine = MakeNodeFacts("", true, file.host, file.inventory).facts;
  options.name = std::filesystem::path(machine).stem();
  options.nodes = nodes;
  nodes_ = GP_TRY(PlayedNodes::Start(std::move(options)));
  log_.Write(LogLevel::kInfo, Count(nodes, "played node") + ", " + config_.simulate +
                                  ": they start no processes and have no output");
  return Ok();
}

void AwaitOwnNodes(const ControllerConfig& config, RecoveryPart& recovery) {
  constexpr std::chrono::seconds kPatience{3};
  AwaitNodes([&] { return CountNodes(recovery); }, CountOwnNodes(config), kPatience);
}

}  // namespace gp
