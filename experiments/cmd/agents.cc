// `gpu-platform-experiments agents`: plays the agents of many nodes against a running controller.

#include <nlohmann/json.hpp>

#include "experiments/agents/agents_experiment.h"
#include "experiments/cmd/commands.h"

namespace gp {
namespace {

void PlayAgents(const AgentsOptions& options, Output& output) {
  const AgentsResult result = RunAgents(options);
  const nlohmann::ordered_json document{{"agents", options.agents},
                                        {"joined", result.joined},
                                        {"joined_s", result.joined_s},
                                        {"heartbeat_every_ms", result.heartbeat_every_ms},
                                        {"messages", result.messages},
                                        {"answers", result.answers},
                                        {"answer_p50_ms", result.answer_p50_ms},
                                        {"answer_p99_ms", result.answer_p99_ms},
                                        {"answer_max_ms", result.answer_max_ms},
                                        {"ended", result.ended}};
  if (!output.PrintDocument(document)) output.Say(document.dump(2));
}

}  // namespace

void AddAgentsExperiment(CLI::App& app, Output& output) {
  CLI::App* agents =
      app.add_subcommand("agents", "Play the agents of many nodes against a running controller");
  auto options = std::make_shared<AgentsOptions>();
  agents->add_option("--controller", options->address, "unix:…/control.sock, or host:port")
      ->required();
  agents
      ->add_option("--join-token", options->join_token,
                   "Join token of the controller (file join-token in its state directory)")
      ->required();
  agents->add_option("--agents", options->agents, "Nodes")->check(CLI::Range(1, 100'000));
  agents->add_option("--gpus-per-node", options->gpus_per_node, "GPUs of each node")
      ->check(CLI::Range(1, 16));
  auto seconds = std::make_shared<int>(20);
  agents->add_option("--seconds", *seconds, "Time to send heartbeats, after all have joined")
      ->check(CLI::Range(1, 86'400));
  agents->callback([options, seconds, &output] {
    options->lasts = Duration::Seconds(*seconds);
    PlayAgents(*options, output);
  });
}

}  // namespace gp
