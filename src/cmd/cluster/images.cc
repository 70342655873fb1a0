// Images: which of them nodes hold, and jobs that only stage one.

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/submit.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

// The label that a node gets which has none of its own.
constexpr char kNodeLabel[] = "gpu-platform/node";
constexpr size_t kDigestShown = 19;  // "sha256:" and 12 digits

std::string ShortDigest(const std::string& digest) { return digest.substr(0, kDigestShown); }

}  // namespace

Table ImageTable(const v1::ListImagesReply& reply) {
  Table table({{.title = "NODE"},
               {.title = "IMAGE", .cut = true},
               {.title = "DIGEST", .drop = 2},
               {.title = "SIZE", .right = true},
               {.title = "LAST USED", .drop = 1},
               {.title = "JOBS", .cut = true}});
  for (const v1::NodeImage& image : reply.images()) {
    const std::vector<std::string> jobs(image.jobs().begin(), image.jobs().end());
    table.Add({image.node(),
               image.name(),
               ShortDigest(image.digest()),
               {BytesToText(image.bytes()), static_cast<double>(image.bytes())},
               image.last_used(),
               jobs.empty() ? kDash : Join(jobs, ", ")});
  }
  return table;
}

namespace {

void ListImages(const v1::ListImagesRequest& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ListImagesReply>("ListImages", request);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output != "name") return cli.PrintList(ImageTable(*reply), "images");
  for (const v1::NodeImage& image : reply->images()) std::printf("%s\n", image.name().c_str());
}

void AddImageList(CLI::App& images, Cli& cli) {
  CLI::App* sub = cli.AddListFlags(
      images.add_subcommand("list", "List the images that nodes hold, the last used first"));
  auto request = std::make_shared<v1::ListImagesRequest>();
  sub->add_option_function<std::string>(
         "--node", [request](const std::string& node) { request->set_node(node); },
         "Only images of this node")
      ->type_name("NODE");
  sub->callback([request, &cli] { ListImages(*request, cli); });
}

struct PullFlags {
  std::string image;
  std::string pool;
  std::vector<std::string> nodes;
  std::string credentials;
  std::string queue;
  bool no_wait = false;
};

// Queues by pool; the one that is named like no project first.
Result<std::map<std::string, std::string>> QueuesOfPools(ControlClient& client) {
  const auto reply =
      GP_TRY(client.Call<v1::ListQueuesReply>("ListQueues", v1::ListQueuesRequest()));
  std::map<std::string, std::string> queues;
  for (const v1::Queue& queue : reply.queues()) {
    std::string& chosen = queues[queue.pool()];
    if (chosen.empty() || queue.name() == "default") chosen = queue.name();
  }
  return queues;
}

// The nodes that the flags mean; without any: those of the pool "default".
Result<std::vector<v1::Node>> ChosenNodes(const v1::Cluster& cluster, const PullFlags& flags) {
  std::vector<v1::Node> chosen;
  const std::string pool = flags.pool.empty() && flags.nodes.empty() ? "default" : flags.pool;
  std::set<std::string> unknown(flags.nodes.begin(), flags.nodes.end());
  for (const v1::Node& node : cluster.nodes()) {
    const bool is_named = unknown.erase(node.name()) > 0;
    if ((flags.nodes.empty() || is_named) && (pool.empty() || node.pool() == pool))
      chosen.push_back(node);
  }
  if (!unknown.empty())
    return Fail(NotFound("no node is named " + *unknown.begin() + " (gpu-platform nodes list)"));
  if (chosen.empty()) return Fail(NotFound("no such node is in pool " + pool));
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

// Jobs choose nodes by labels.
Status GiveLabel(ControlClient& client, const v1::Node& node, const Cli& cli) {
  v1::ChangeNodeRequest request;
  request.set_node(node.name());
  (*request.mutable_labels())[kNodeLabel] = node.name();
  const std::string label = std::string(kNodeLabel) + "=" + node.name();
  const auto changed = client.Call<v1::Cluster>("ChangeNode", request);
  if (!changed && changed.error().code == ErrorCode::kPermissionDenied)
    return Fail(Error{ErrorCode::kPermissionDenied,
                      node.name() +
                          " has no label of its own by which a job could choose it; an "
                          "admin gives it one: gpu-platform nodes label " +
                          node.name() + " " + label});
  if (!changed) return Fail(changed.error());
  cli.Say(node.name() + " has the label " + label + " now");
  return Ok();
}

Result<std::vector<JobSpec>> PullJobs(ControlClient& client, const std::vector<v1::Node>& nodes,
                                      const v1::Cluster& cluster, const PullFlags& flags,
                                      const Cli& cli) {
  const auto queues = GP_TRY(QueuesOfPools(client));
  std::vector<JobSpec> jobs;
  for (const v1::Node& node : nodes) {
    const auto queue = queues.find(node.pool());
    if (flags.queue.empty() && queue == queues.end())
      return Fail(NotFound("no queue is of pool " + node.pool() + ", which has " + node.name()));
    auto label = OwnLabel(cluster, node);
    if (!label) GP_CHECK_OK(GiveLabel(client, node, cli));
    if (!label) label = {kNodeLabel, node.name()};
    JobSpec& job = jobs.emplace_back();
    job.name = "images-pull";
    job.program.image = flags.image;
    job.program.image_credentials = flags.credentials;
    job.program.stage_only = true;
    job.resources.gpus.count = 0;
    job.placement.node_labels.insert(*label);
    job.policy.queue = flags.queue.empty() ? queue->second : flags.queue;
    GP_CHECK_OK(ValidateJobSpec(job));
  }
  return jobs;
}

// One line for each node, as its job ends.
void AwaitPulls(const std::vector<v1::Node>& nodes, const std::vector<std::string>& jobs,
                Cli& cli) {
  for (size_t i = 0; i < jobs.size() && i < nodes.size(); ++i) {
    const auto end = WaitForEnd(cli, jobs[i], std::nullopt);
    if (!end) return cli.Complain(end.error());
    const v1::Job& job = **end;
    const bool is_there = job.state() == v1::COMPLETED;
    const std::string why = is_there ? job.image_digest() : job.detail() + ": " + job.reason();
    std::printf("%s %s %s\n", nodes[i].name().c_str(), jobs[i].c_str(), why.c_str());
    std::fflush(stdout);
    if (!is_there) cli.exit_code = kExitPartly;
  }
}

void PullImages(const PullFlags& flags, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  v1::GetClusterRequest request;
  request.set_totals_only(true);
  const auto cluster = (*client)->Call<v1::Cluster>("GetCluster", request);
  if (!cluster) return cli.Complain(cluster.error());
  const auto nodes = ChosenNodes(*cluster, flags);
  if (!nodes) return cli.Complain(nodes.error());
  const auto specs = PullJobs(**client, *nodes, *cluster, flags, cli);
  if (!specs) return cli.Complain(specs.error());
  const auto jobs = SubmitSpecs(cli, *specs, 1, NewRequestId());
  if (!jobs) return cli.Complain(jobs.error());
  if (!flags.no_wait) return AwaitPulls(*nodes, *jobs, cli);
  for (size_t i = 0; i < jobs->size() && i < nodes->size(); ++i)
    std::printf("%s %s\n", (*nodes)[i].name().c_str(), (*jobs)[i].c_str());
}

void AddPull(CLI::App& images, Cli& cli) {
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
  sub->add_flag("--no-wait", flags->no_wait, "Print the jobs and return at once");
  sub->callback([flags, &cli] { PullImages(*flags, cli); });
}

}  // namespace

void AddImages(CLI::App& app, Cli& cli) {
  CLI::App* images =
      app.add_subcommand("images", "Images of jobs on nodes: which there are; pull them early");
  images->require_subcommand(1);
  AddImageList(*images, cli);
  AddPull(*images, cli);
}

}  // namespace gp
