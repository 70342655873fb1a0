// Images: which of them nodes hold.

#include "cmd/cluster/images.h"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {

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

}  // namespace

std::string ShortDigest(const std::string& digest) {
  constexpr size_t kShown = 19;  // "sha256:" and 12 digits
  return digest.substr(0, kShown);
}

Result<std::vector<v1::Node>> NodesMeant(const v1::Cluster& cluster,
                                         const std::vector<std::string>& names,
                                         const std::string& pool) {
  std::vector<v1::Node> meant;
  std::set<std::string> unknown(names.begin(), names.end());
  for (const v1::Node& node : cluster.nodes()) {
    const bool is_named = unknown.erase(node.name()) > 0;
    if ((names.empty() || is_named) && (pool.empty() || node.pool() == pool)) meant.push_back(node);
  }
  if (!unknown.empty())
    return Fail(NotFound("no node is named " + *unknown.begin() + " (gpu-platform nodes list)"));
  if (meant.empty())
    return Fail(NotFound(pool.empty() ? "there are no nodes" : "no such node is in pool " + pool));
  return meant;
}

void AddImages(CLI::App& app, Cli& cli) {
  CLI::App* images = app.add_subcommand(
      "images", "Images of jobs on nodes: list them, pull them early, verify and prune them");
  images->require_subcommand(1);
  AddImageList(*images, cli);
  AddImagePull(*images, cli);
  AddImageCare(*images, cli);
}

}  // namespace gp
