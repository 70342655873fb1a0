#include <poll.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cmd/cluster_text.h"
#include "cmd/cli.h"

namespace gp {
namespace {

using Action = v1::ChangeServiceRequest;


// The GPUs that the request speaks of, as the cluster is now.
std::vector<FoundGpu> Targets(const v1::Cluster& cluster, const Action& request) {
  std::vector<FoundGpu> targets;
  if (!request.gpu().empty()) {
    const FoundGpu found = FindGpu(cluster, request.gpu());
    if (found.gpu != nullptr) targets.push_back(found);
    return targets;
  }
  for (const v1::Node& node : cluster.nodes()) {
    if (node.name() != request.node()) continue;
    for (const v1::Gpu& gpu : node.gpus()) targets.push_back({&node, &gpu});
  }
  return targets;
}

void Report(const v1::Cluster& cluster, const Action& request, Cli& cli) {
  const char* what = request.action() == Action::ONLINE ? " job(s) on it (" : " job(s) left (";
  for (const FoundGpu& target : Targets(cluster, request)) {
    std::string text = fmt::format("{}/{} {}", target.node->name(), target.gpu->index(), StateText(*target.gpu));
    if (target.gpu->holders_size() > 0) {
      text += ": " + std::to_string(target.gpu->holders_size()) + what + target.gpu->holders(0).job_id() + ")";
    }
    cli.Say(text);
  }
}

// `online` is true only once the tests passed: waits for their outcome.
void AwaitOnline(ControlClient& client, const Action& request, Cli& cli) {
  constexpr int kTries = 100;
  v1::GetClusterRequest fetch;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto cluster = client.Call<v1::Cluster>(&v1::Control::Stub::GetCluster, fetch);
    if (!cluster) return cli.Complain(cluster.error());
    const std::vector<FoundGpu> targets = Targets(*cluster, request);
    const bool testing = std::any_of(targets.begin(), targets.end(), [](const FoundGpu& t) { return t.gpu->detail() == "TESTING"; });
    if (testing) {
      poll(nullptr, 0, 100);
      continue;
    }
    Report(*cluster, request, cli);
    cli.PrintDocument(*cluster);
    const bool healthy = std::all_of(targets.begin(), targets.end(), [](const FoundGpu& t) { return t.gpu->detail() == "AVAILABLE"; });
    if (!healthy) cli.exit_code = kExitUnhealthy;
    return;
  }
  cli.Complain(Unavailable("the tests have not ended yet: gpu-platform status --all"));
}

void Change(const Action& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto cluster = (*client)->Call<v1::Cluster>(&v1::Control::Stub::ChangeService, request);
  if (!cluster) return cli.Complain(cluster.error());
  if (request.action() == Action::ONLINE) return AwaitOnline(**client, request, cli);
  Report(*cluster, request, cli);
  cli.PrintDocument(*cluster);
}

void AddAction(CLI::App& app, Cli& cli, const char* name, const char* help, Action::Action action) {
  CLI::App* sub = app.add_subcommand(name, help);
  auto request = std::make_shared<Action>();
  request->set_action(action);
  auto* gpu = sub->add_option_function<std::string>("--gpu-id", [request](const std::string& id) { request->set_gpu(id); },
                                                    "UUID, unique prefix, node/index or PCI bus id");
  auto* node = sub->add_option_function<std::string>("--node", [request](const std::string& id) { request->set_node(id); }, "The whole node");
  gpu->excludes(node);
  sub->add_option_function<std::string>("--reason", [request](const std::string& why) { request->set_reason(why); }, "Why; shown with the GPU");
  if (action == Action::OFFLINE || action == Action::RESET) {
    sub->add_flag_function("--force", [request](int64_t) { request->set_force(true); }, "Stop the jobs on it now; they are queued again");
  }
  sub->callback([request, &cli] {
    if (request->gpu().empty() && request->node().empty()) {
      return cli.Complain(InvalidArgument("name a GPU (--gpu-id) or a node (--node)"));
    }
    Change(*request, cli);
  });
}

}  // namespace

void AddService(CLI::App& app, Cli& cli) {
  AddAction(app, cli, "drain", "Let what runs finish, start nothing new", Action::DRAIN);
  AddAction(app, cli, "offline", "Take out of service now; --force if jobs run there", Action::OFFLINE);
  AddAction(app, cli, "reset", "Reset when nobody uses it, then test; --force stops what runs there", Action::RESET);
  AddAction(app, cli, "online", "Bring back after a test", Action::ONLINE);
}

}  // namespace gp
