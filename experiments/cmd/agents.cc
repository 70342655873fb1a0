// `gpu-platform-experiments agents`: plays the agents of many nodes against a running controller.

#include <nlohmann/json.hpp>

#include "experiments/agents/agents_experiment.h"
#include "experiments/cmd/commands.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

void PlayAgents(const AgentsOptions& options, Output& output) {
  const Result<AgentsResult> played = RunAgents(options);
  if (!played) return output.Complain(played.error());
  const AgentsResult& result = *played;
  const nlohmann::ordered_json document{{"agents", options.agents},
                                        {"joined", result.joined},
                                        {"joined_s", result.joined_s},
                                        {"heartbeat_every_ms", result.heartbeat_every_ms},
                                        {"messages", result.messages},
                                        {"answers", result.answers},
                                        {"answer_p50_ms", result.answer_p50_ms},
                                        {"answer_p99_ms", result.answer_p99_ms},
                                        {"answer_max_ms", result.answer_max_ms},
                                        {"ended", result.ended},
                                        {"rejoined_s", result.rejoined_s}};
  if (!output.PrintDocument(document)) output.Say(document.dump(2));
}

}  // namespace

void AddAgentsExperiment(CLI::App& app, Output& output) {
  CLI::App* agents =
      app.add_subcommand("agents", "Play the agents of many nodes against a running controller");
  auto options = std::make_shared<AgentsOptions>();
  agents
      ->add_option("--controller", options->addresses,
                   "unix:…/control.sock, or host:port; several with commas between them")
      ->delimiter(',')
      ->required();
  agents
      ->add_option("--join-token", options->join_token,
                   "Join token of the controller (file join-token in its state directory)")
      ->required();
  auto authority = std::make_shared<std::string>();
  agents->add_option("--authority", *authority,
                     "File with the certificate of the controller's authority, for TLS");
  agents->add_option("--agents", options->agents, "Nodes")->check(CLI::Range(1, 100'000));
  agents->add_option("--gpus-per-node", options->gpus_per_node, "GPUs of each node")
      ->check(CLI::Range(1, 16));
  auto jobs_last = std::make_shared<int>(0);
  agents->add_option("--jobs-last", *jobs_last, "Seconds for which a job runs")
      ->check(CLI::Range(0, 86'400));
  auto seconds = std::make_shared<int>(20);
  agents->add_option("--seconds", *seconds, "Time to send heartbeats, after all have joined")
      ->check(CLI::Range(1, 86'400));
  agents->callback([options, seconds, jobs_last, authority, &output] {
    if (!authority->empty()) {
      const auto certificate = ReadTextFile(*authority);
      if (!certificate) return output.Complain(certificate.error());
      options->authority = *certificate;
    }
    options->lasts = Duration::Seconds(*seconds);
    options->jobs_last = Duration::Seconds(*jobs_last);
    PlayAgents(*options, output);
  });
}

}  // namespace gp
