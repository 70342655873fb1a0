// Jobs that only stage an image.

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/cluster/images.h"
#include "cmd/connection/controller_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/jobs/look_again.h"
#include "cmd/jobs/submit.h"
#include "cmd/text/job_text.h"
#include "domain/model/nodes/features.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

// The label that a node gets which has none of its own.
constexpr char kNodeLabel[] = "gpu-platform/node";
constexpr char kJobName[] = "images-pull";

struct PullFlags {
  std::string image;
  std::string pool;
  std::vector<std::string> nodes;
  std::string credentials;
  std::string queue;
  std::string timeout;
  bool no_wait = false;
};

// A node, and the job that stages the image there.
struct Pull {
  std::string node;
  JobSpec job;
  bool lacks_label = false;  // by which the job chooses the node
};

struct PullPlan {
  std::vector<Pull> pulls;
  std::vector<std::pair<std::string, std::string>> left_out;  // nodes, and why
};

// Whose jobs run in the pool: the queue that the flag names, or else "default" before others;
// nullptr: there is none.
const v1::Queue* QueueOf(const v1::ListQueuesReply& queues, const std::string& pool,
                         const PullFlags& flags) {
  const v1::Queue* chosen = nullptr;
  for (const v1::Queue& queue : queues.queues()) {
    const bool is_meant = flags.queue.empty() || queue.name() == flags.queue;
    if (!is_meant || queue.pool() != pool) continue;
    if (chosen == nullptr || queue.name() == "default") chosen = &queue;
  }
  return chosen;
}

// A label that no other node of the cluster has.
std::optional<std::pair<std::string, std::string>> OwnLabel(const v1::Cluster& cluster,
                                                            const v1::Node& node) {
  const std::map<std::string, std::string> labels(node.labels().begin(), node.labels().end());
  for (const auto& [name, value] : labels) {
    const auto has_it = [&](const v1::Node& other) {
      const auto found = other.labels().find(name);
      return found != other.labels().end() && found->second == value;
    };
    if (std::ranges::count_if(cluster.nodes(), has_it) == 1) return std::pair(name, value);
  }
  return std::nullopt;
}

// Of any node: without its queue and its label.
JobSpec JobOf(const PullFlags& flags) {
  JobSpec job;
  job.name = kJobName;
  job.program.image = flags.image;
  job.program.image_credentials = flags.credentials;
  job.program.stage_only = true;
  job.resources.gpus.count = 0;
  return job;
}

// Why a job would wait there, maybe for ever; empty: it may start.
std::string WhyNotNow(const v1::Node& node, const std::set<std::string>& features) {
  if (node.state() != "UP") return "is " + node.state();
  if (node.draining()) return "drains, and takes no new work";
  for (const std::string& feature : features) {
    const bool has_it =
        std::find(node.features().begin(), node.features().end(), feature) != node.features().end();
    if (!has_it) return "lacks the feature " + feature + " (gpu-platform doctor says why, there)";
  }
  return "";
}

std::string LabelNeeded(const std::string& node) {
  return "has no label of its own by which a job could choose it; an admin gives it one: "
         "gpu-platform nodes label " +
         node + " " + kNodeLabel + "=" + node;
}

// Labels stay, so that only nodes which the user names get one.
Result<PullPlan> PlanPulls(const v1::Cluster& cluster, const std::vector<v1::Node>& nodes,
                           const v1::ListQueuesReply& queues, const PullFlags& flags) {
  const std::set<std::string> features = FeaturesFor(JobOf(flags));
  PullPlan plan;
  for (const v1::Node& node : nodes) {
    const v1::Queue* queue = QueueOf(queues, node.pool(), flags);
    const auto label = OwnLabel(cluster, node);
    std::string why = WhyNotNow(node, features);
    if (why.empty() && queue == nullptr)
      why = "is in pool " + node.pool() + ", which is not that of " +
            (flags.queue.empty() ? std::string("any queue") : "queue " + flags.queue);
    if (why.empty() && !label && flags.nodes.empty()) why = LabelNeeded(node.name());
    if (!why.empty()) {
      plan.left_out.emplace_back(node.name(), std::move(why));
      continue;
    }
    Pull pull{node.name(), JobOf(flags), !label};
    pull.job.policy.queue = queue->name();
    pull.job.placement.node_labels.insert(
        label.value_or(std::pair<std::string, std::string>(kNodeLabel, node.name())));
    GP_CHECK_OK(ValidateJobSpec(pull.job));
    plan.pulls.push_back(std::move(pull));
  }
  return plan;
}

// The controller checks it too, but only after nodes have got their labels.  Whoever may label
// nodes sees the secrets of all queues.
Status CheckCredentials(ControlClient& client, const PullPlan& plan, const PullFlags& flags) {
  if (flags.credentials.empty()) return Ok();
  const auto reply =
      GP_TRY(client.Call<v1::ListSecretsReply>("ListSecrets", v1::ListSecretsRequest()));
  for (const Pull& pull : plan.pulls) {
    const std::string& queue = pull.job.policy.queue;
    const auto has_it = [&](const v1::Secret& secret) {
      const bool is_shared = (queue + "/").starts_with(secret.queue() + "/");
      return secret.name() == flags.credentials && (secret.queue().empty() || is_shared);
    };
    if (std::ranges::none_of(reply.secrets(), has_it))
      return Fail(InvalidArgument("--credentials: there is no secret \"" +
                                  Printable(flags.credentials, 60) + "\" of yours or of queue " +
                                  queue + " (gpu-platform secrets list)"));
  }
  return Ok();
}

// False: the user may not.
Result<bool> GiveLabel(ControlClient& client, const std::string& node, const Cli& cli) {
  v1::ChangeNodeRequest request;
  request.set_node(node);
  (*request.mutable_labels())[kNodeLabel] = node;
  const auto changed = client.Call<v1::Cluster>("ChangeNode", request);
  if (!changed && changed.error().code == ErrorCode::kPermissionDenied) return false;
  if (!changed) return Fail(changed.error());
  cli.Say(node + " has the label " + kNodeLabel + "=" + node + " now");
  return true;
}

// Leaves out the nodes that get none.
Status GiveLabels(ControlClient& client, const PullFlags& flags, const Cli& cli, PullPlan& plan) {
  if (std::ranges::none_of(plan.pulls, &Pull::lacks_label)) return Ok();
  GP_CHECK_OK(CheckCredentials(client, plan, flags));
  std::vector<Pull> labelled;
  for (Pull& pull : plan.pulls) {
    if (pull.lacks_label && !GP_TRY(GiveLabel(client, pull.node, cli))) {
      plan.left_out.emplace_back(pull.node, LabelNeeded(pull.node));
    } else {
      labelled.push_back(std::move(pull));
    }
  }
  plan.pulls = std::move(labelled);
  return Ok();
}

Result<PullPlan> MakePlan(ControlClient& client, const PullFlags& flags, const Cli& cli) {
  v1::GetClusterRequest request;
  request.set_totals_only(true);
  const auto cluster = GP_TRY(client.Call<v1::Cluster>("GetCluster", request));
  const std::string pool = flags.pool.empty() && flags.nodes.empty() ? "default" : flags.pool;
  const auto nodes = GP_TRY(NodesMeant(cluster, flags.nodes, pool));
  GP_CHECK_OK(ValidateJobSpec(JobOf(flags)));
  const auto queues =
      GP_TRY(client.Call<v1::ListQueuesReply>("ListQueues", v1::ListQueuesRequest()));
  const auto is_named = [&](const v1::Queue& queue) { return queue.name() == flags.queue; };
  if (!flags.queue.empty() && std::ranges::none_of(queues.queues(), is_named))
    return Fail(NotFound("no queue is named " + flags.queue + " (gpu-platform queues list)"));
  PullPlan plan = GP_TRY(PlanPulls(cluster, nodes, queues, flags));
  GP_CHECK_OK(GiveLabels(client, flags, cli, plan));
  return plan;
}

// Those of the jobs that have ended.  One list tells which still go on, however many there are.
Result<std::vector<v1::Job>> EndedOf(const std::map<std::string, std::string>& jobs,
                                     const Cli& cli) {
  const auto client = GP_TRY(OpenController(cli.server));
  v1::ListJobsRequest unfinished;
  unfinished.add_job_names(kJobName);
  unfinished.set_limit(10'000);
  const auto reply = GP_TRY(client->Call<v1::ListJobsReply>("ListJobs", unfinished));
  std::set<std::string> go_on;
  for (const v1::Job& job : reply.jobs()) go_on.insert(job.id());
  std::vector<v1::Job> ended;
  for (const auto& [id, node] : jobs) {
    if (go_on.contains(id)) continue;
    v1::GetJobRequest request;
    request.set_job_id(id);
    v1::Job job = GP_TRY(client->Call<v1::Job>("GetJob", request));
    if (IsOver(job)) ended.push_back(std::move(job));
  }
  return ended;
}

void PrintEnd(const std::string& node, const v1::Job& job, Cli& cli) {
  const bool is_there = job.state() == v1::COMPLETED;
  const std::string why = is_there ? job.image_digest() : job.detail() + ": " + job.reason();
  cli.PrintText(node + " " + job.id() + " " + why + "\n");
  std::fflush(stdout);
  if (!is_there) cli.exit_code = kExitPartly;
}

// One line for each job, as it ends.  `waiting`: nodes by job.
void AwaitPulls(std::map<std::string, std::string> waiting, std::optional<Duration> timeout,
                Cli& cli) {
  SystemClock clock;
  const int64_t begin_ns = clock.BootNs();
  LinePatience patience;
  LookAgain look_again;
  while (true) {
    const auto ended = EndedOf(waiting, cli);
    if (ended) {
      patience.Heard();
      for (const v1::Job& job : *ended) {
        PrintEnd(waiting[job.id()], job, cli);
        waiting.erase(job.id());
      }
    } else if (!MayPass(ended.error())) {
      return cli.Complain(ended.error());
    }
    if (waiting.empty()) return;
    if (timeout && clock.BootNs() - begin_ns >= timeout->ns) break;
    if (ended) {
      poll(nullptr, 0, look_again.NextPauseMs());
    } else if (!patience.Wait()) {
      return cli.Complain(ended.error());
    }
  }
  for (const auto& [job, node] : waiting) cli.PrintText(node + " " + job + " has not ended yet\n");
  cli.exit_code = kExitTimeout;
}

void PullImages(const PullFlags& flags, Cli& cli) {
  std::optional<Duration> timeout;
  if (!flags.timeout.empty()) {
    const auto parsed = ParseDuration(flags.timeout);
    if (!parsed) return cli.Complain(parsed.error().Within("--timeout"));
    timeout = *parsed;
  }
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto plan = MakePlan(**client, flags, cli);
  if (!plan) return cli.Complain(plan.error());
  for (const auto& [node, why] : plan->left_out)
    cli.PrintText(node + " " + kDash + " " + why + "\n");
  std::fflush(stdout);
  if (!plan->left_out.empty()) cli.exit_code = kExitPartly;
  if (plan->pulls.empty()) return;
  std::vector<JobSpec> specs;
  for (const Pull& pull : plan->pulls) specs.push_back(pull.job);
  const auto jobs = SubmitSpecs(cli, specs, 1, NewRequestId());
  if (!jobs) return cli.Complain(jobs.error());
  std::map<std::string, std::string> nodes;  // by job
  for (size_t i = 0; i < jobs->size() && i < plan->pulls.size(); ++i) {
    nodes[(*jobs)[i]] = plan->pulls[i].node;
    if (flags.no_wait) std::printf("%s %s\n", plan->pulls[i].node.c_str(), (*jobs)[i].c_str());
  }
  if (!flags.no_wait) AwaitPulls(std::move(nodes), timeout, cli);
}

}  // namespace

void AddImagePull(CLI::App& images, Cli& cli) {
  CLI::App* sub = images.add_subcommand(
      "pull", "Stage an image on nodes before jobs need it, by one job for each node");
  auto flags = std::make_shared<PullFlags>();
  sub->add_option("image", flags->image, "Image, as the key image of a job file")->required();
  sub->add_option("--pool", flags->pool,
                  "Nodes of this pool; default: default, or any with --nodes")
      ->type_name("POOL");
  sub->add_option("--nodes", flags->nodes, "Only these nodes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NODE,…");
  sub->add_option("--credentials", flags->credentials, "Secret with the registry's credentials")
      ->type_name("SECRET");
  sub->add_option("--queue", flags->queue, "Queue of the jobs; default: one of the nodes' pool")
      ->type_name("QUEUE");
  sub->add_option("--timeout", flags->timeout, "Give up after this time (exit code 7)")
      ->type_name("DURATION");
  sub->add_flag("--no-wait", flags->no_wait, "Print the jobs and return at once");
  sub->callback([flags, &cli] { PullImages(*flags, cli); });
}

}  // namespace gp
