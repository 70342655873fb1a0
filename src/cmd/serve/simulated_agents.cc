#include "cmd/serve/simulated_agents.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cmd/agent/agent_settings.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr int kNodesMax = 256;
constexpr int kJoinInTurn = 8;  // with more nodes the order does not matter
constexpr std::chrono::seconds kJoinPatience{1};
constexpr std::chrono::milliseconds kAskAgain{10};

}  // namespace

void AwaitNodes(const std::function<size_t()>& count_nodes, size_t wanted,
                std::chrono::milliseconds patience) {
  for (auto waited = kAskAgain; waited <= patience && count_nodes() < wanted; waited += kAskAgain)
    std::this_thread::sleep_for(kAskAgain);
}

Result<std::pair<std::string, int>> ParseSimulate(const std::string& text, int nodes_max) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::pair(text, 1);
  const int64_t nodes = GP_TRY(ParseCount(text.substr(colon + 1)));
  if (nodes < 1 || nodes > nodes_max) {
    return Fail(
        InvalidArgument("--simulate: 1 to " + std::to_string(nodes_max) + " nodes, as dgx-h100:2"));
  }
  return std::pair(text.substr(0, colon), static_cast<int>(nodes));
}

Result<SimulatedAgents> SimulatedAgents::Start(Options options) {
  SimulatedAgents agents;
  std::tie(agents.machine_, agents.count_) =
      GP_TRY(ParseSimulate(options.agent.simulate, kNodesMax));
  GP_TRY(MachineFilePath(agents.machine_));  // a wrong name is reported here, once
  agents.options_ = std::move(options);
  GP_CHECK_OK(agents.Spawn(0));
  return agents;
}

Status SimulatedAgents::StartOthers(const std::function<size_t()>& count_nodes) {
  for (int index = 1; index < count_; ++index) {
    if (index <= kJoinInTurn) AwaitNodes(count_nodes, static_cast<size_t>(index), kJoinPatience);
    GP_CHECK_OK(Spawn(index));
  }
  return Ok();
}

void SimulatedAgents::Stop() {
  for (const pid_t pid : children_) kill(pid, SIGTERM);
  for (const pid_t pid : children_) waitpid(pid, nullptr, 0);
  children_.clear();
}

Status SimulatedAgents::Spawn(int index) {
  AgentConfig agent = options_.agent;
  const std::string number = std::to_string(index);
  std::vector<std::string> words{ExecutablePath(),
                                 "agent",
                                 "--simulate",
                                 machine_,
                                 "--node-index",
                                 number,
                                 "--controller",
                                 "unix:" + options_.run_directory + "/control.sock",
                                 "--join-token-file",
                                 options_.state + "/join-token",
                                 "--state",
                                 options_.state + "/agent-" + number,
                                 "--with-parent",
                                 "--config",
                                 "none"};
  if (index > 0 || options_.first_is_quiet) words.push_back("-q");
  agent.name.clear();  // each simulated node has its own
  for (std::string& word : FlagsOf(agent)) words.push_back(std::move(word));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), nullptr, nullptr, argv.data(), environ);
  if (error != 0)
    return Fail(Internal("cannot start an agent: " + std::string(std::strerror(error))));
  children_.push_back(pid);
  return Ok();
}

}  // namespace gp
