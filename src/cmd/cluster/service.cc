#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/job_text.h"
#include "cmd/text/service_text.h"

namespace gp {
namespace {

using Action = v1::ChangeServiceRequest;

constexpr int kPlaceTries = 10;

void TellOutcome(const v1::Cluster& cluster, const Action& request, Cli& cli) {
  for (const std::string& line : OutcomeLines(cluster, request)) cli.Say(line);
}

// `online` is true only once the tests passed: waits for their outcome.
void AwaitOnline(ControlClient& client, const Action& request, Cli& cli) {
  constexpr int kTries = 100;
  v1::GetClusterRequest fetch;
  for (int tries = 0; tries < kTries; ++tries) {
    const auto cluster = client.Call<v1::Cluster>("GetCluster", fetch);
    if (!cluster) return cli.Complain(cluster.error());
    const std::vector<FoundGpu> targets = ServiceTargets(*cluster, request);
    const bool testing = std::any_of(targets.begin(), targets.end(), [](const FoundGpu& t) {
      return t.gpu->detail() == "TESTING";
    });
    if (testing) {
      poll(nullptr, 0, 100);
      continue;
    }
    TellOutcome(*cluster, request, cli);
    cli.PrintDocument(*cluster);
    const bool healthy = std::all_of(targets.begin(), targets.end(), [](const FoundGpu& t) {
      return t.gpu->detail() == "AVAILABLE";
    });
    if (!healthy) cli.exit_code = kExitUnhealthy;
    return;
  }
  cli.Complain(Unavailable("the tests have not ended yet: gpu-platform status --all"));
}

// The jobs that hold something of what the request names.
std::map<std::string, std::string> HoldersOf(const v1::Cluster& cluster, const Action& request) {
  std::map<std::string, std::string> jobs;
  for (const FoundGpu& target : ServiceTargets(cluster, request)) {
    for (const v1::Holder& holder : target.gpu->holders())
      jobs[holder.job_id()] = holder.job_name() + ", " + holder.user();
  }
  return jobs;
}

std::string WhereItWent(const v1::Job& job) {
  if (IsOver(job)) return std::string("ended, ") + v1::JobState_Name(job.state());
  if (job.state() == v1::RUNNING) return "goes on at " + PlacesText(job);
  return "waits" + (job.reason().empty() ? "" : ": " + job.reason());
}

// Prints which jobs were stopped by force and where they run next; jobs that take longer to end are
// marked.
void TellStopped(ControlClient& client, const std::map<std::string, std::string>& jobs,
                 const Action& request, Cli& cli) {
  constexpr int kTries = 100;
  std::map<std::string, std::string> left = jobs;
  for (int tries = 0; !left.empty() && tries < kTries; ++tries) {
    if (tries > 0) poll(nullptr, 0, 100);
    const auto cluster = client.Call<v1::Cluster>("GetCluster", v1::GetClusterRequest());
    if (!cluster) return cli.Complain(cluster.error());
    const auto still = HoldersOf(*cluster, request);
    std::erase_if(left, [&](const auto& one) {
      if (still.contains(one.first)) return false;
      v1::GetJobRequest fetch;
      fetch.set_job_id(one.first);
      const auto job = client.Call<v1::Job>("GetJob", fetch);
      // It gets its new place a moment later.
      if (job && job->state() == v1::QUEUED && tries + 1 < kTries && tries < kPlaceTries)
        return false;
      cli.Say(fmt::format("{} ({}) was stopped; it {}", one.first, one.second,
                          job ? WhereItWent(*job) : "is not known any more"));
      return true;
    });
  }
  for (const auto& [id, who] : left)
    cli.Say(fmt::format(
        "{} ({}) is being stopped and has not ended yet (gpu-platform jobs wait {})", id, who, id));
}

void Change(const Action& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  std::map<std::string, std::string> jobs;
  if (request.force()) {
    const auto before = (*client)->Call<v1::Cluster>("GetCluster", v1::GetClusterRequest());
    if (before) jobs = HoldersOf(*before, request);
  }
  const auto cluster = (*client)->Call<v1::Cluster>("ChangeService", request);
  if (!cluster) return cli.Complain(cluster.error());
  if (request.action() == Action::ONLINE) return AwaitOnline(**client, request, cli);
  TellOutcome(*cluster, request, cli);
  TellStopped(**client, jobs, request, cli);
  cli.PrintDocument(*cluster);
}

void AddTargetFlags(CLI::App& sub, const std::shared_ptr<Action>& request, CLI::Option* target) {
  auto* gpu = sub.add_option_function<std::string>(
      "--gpu-id", [request](const std::string& id) { request->set_gpu(id); },
      "UUID, unique prefix, node/index or PCI bus id");
  auto* node = sub.add_option_function<std::string>(
      "--node", [request](const std::string& id) { request->set_node(id); }, "The whole node");
  gpu->excludes(node)->excludes(target)->type_name("GPU");
  node->excludes(target)->type_name("NODE");
}

CLI::Option* AddTarget(CLI::App& sub, const std::shared_ptr<Action>& request) {
  return sub.add_option_function<std::string>(
      "target", [request](const std::string& target) { NameTarget(target, *request); },
      "Node, or GPU: node/index, UUID, unique prefix of one, or PCI bus id");
}

void AddForceFlag(CLI::App& sub, const std::shared_ptr<Action>& request) {
  sub.add_flag_function(
      "--force", [request](int64_t) { request->set_force(true); },
      "Stop the jobs on it now, with their grace period; they are queued again");
}

void AddDeadlineFlag(CLI::App& sub, const std::shared_ptr<Action>& request) {
  sub.add_option_function<std::string>(
         "--deadline",
         [request](const std::string& text) {
           const auto span = ParseDuration(text);
           if (!span || span->ns <= 0)
             throw CLI::ValidationError("--deadline",
                                        "takes a time such as 2h, not " + Printable(text, 40));
           request->set_deadline_ms(span->ToMilliseconds());
         },
         "Jobs that still run there then are stopped with their grace period and queued again")
      ->type_name("DURATION");
}

void AddAction(CLI::App& app, Cli& cli, const char* name, const char* help, Action::Action action) {
  CLI::App* sub = app.add_subcommand(name, help);
  auto request = std::make_shared<Action>();
  request->set_action(action);
  AddTargetFlags(*sub, request, AddTarget(*sub, request));
  sub->add_option_function<std::string>(
      "--reason", [request](const std::string& why) { request->set_reason(why); },
      "Reason, shown with the GPU");
  if (action == Action::OFFLINE || action == Action::RESET) AddForceFlag(*sub, request);
  if (action == Action::DRAIN) AddDeadlineFlag(*sub, request);
  sub->callback([request, &cli] {
    if (request->gpu().empty() == request->node().empty())
      return cli.Complain(InvalidArgument("name one node, or one GPU as node/index"));
    Change(*request, cli);
  });
}

}  // namespace

void AddService(CLI::App& app, Cli& cli) {
  AddAction(app, cli, "drain", "Drain a node or GPU: running jobs finish, nothing new starts",
            Action::DRAIN);
  AddAction(app, cli, "offline", "Take a node or GPU out of service now; --force if jobs run there",
            Action::OFFLINE);
  AddAction(app, cli, "reset", "Reset a GPU when it is idle, then test it; --force stops its jobs",
            Action::RESET);
  AddAction(app, cli, "online", "Return a node or GPU to service after a test (uncordon)",
            Action::ONLINE);
}

}  // namespace gp
