// Care for the unpacked images of nodes: `images verify` and `images prune`.

#include <grpcpp/client_context.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/cluster/images.h"
#include "cmd/connection/controller_line.h"
#include "cmd/text/job_text.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

constexpr size_t kNodesAtATime = 8;

struct CareFlags {
  std::vector<std::string> nodes;
  std::string pool;
  std::string image;
  std::string unused_for;
  bool is_trial = false;
};

std::string Layers(int count, int64_t bytes) {
  return std::to_string(count) + (count == 1 ? " layer, " : " layers, ") + BytesToText(bytes);
}

// Prints lines, of several threads.
class NodeLines {
 public:
  explicit NodeLines(Cli& cli) : cli_(cli) {}

  void Print(const std::string& node, const std::string& text) {
    const std::lock_guard lock(mutex_);
    cli_.PrintText(node + " " + text + "\n");
    std::fflush(stdout);
  }
  // Damage counts for more than a node that did not answer.
  void SetExit(int code) {
    const std::lock_guard lock(mutex_);
    if (cli_.exit_code != kExitUnhealthy) cli_.exit_code = code;
  }
  void Refused(const std::string& node, Error error) {
    std::string why = error.message;
    if (why.starts_with(node + ": ")) why.erase(0, node.size() + 2);
    Print(node, std::string(kDash) + " " + why);
    SetExit(kExitPartly);
  }

 private:
  Cli& cli_;
  std::mutex mutex_;
};

// What is done at one node.  Returns how many images of the node were meant.
using AtNode =
    std::function<Result<int>(ControlClient& client, const std::string& node, NodeLines& lines)>;

// A caller that may not at one node may at none.
bool IsForAllNodes(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kUnauthenticated ||
         error.code == ErrorCode::kInvalidArgument;
}

// At several nodes at a time.
class EachNode {
 public:
  EachNode(Cli& cli, const CareFlags& flags, AtNode at_node)
      : cli_(cli), flags_(flags), at_node_(std::move(at_node)), lines_(cli) {}

  void Run() {
    const auto nodes = Nodes();
    if (!nodes) return cli_.Complain(nodes.error());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min(kNodesAtATime, nodes->size()); ++i)
      threads.emplace_back([this, &nodes] { Work(*nodes); });
    for (std::thread& thread : threads) thread.join();
    if (refusal_) return cli_.Complain(*refusal_);
    if (!flags_.image.empty() && images_ == 0 && cli_.exit_code == kExitOk)
      cli_.Complain(NotFound("none of these nodes holds the image " + Printable(flags_.image, 300) +
                             " (gpu-platform images list)"));
  }

 private:
  Result<std::vector<v1::Node>> Nodes() {
    ControlClient* const client = GP_TRY(cli_.Controller());
    v1::GetClusterRequest request;
    request.set_totals_only(true);
    const auto cluster = GP_TRY(client->Call<v1::Cluster>("GetCluster", request));
    return NodesMeant(cluster, flags_.nodes, flags_.pool);
  }

  void Work(const std::vector<v1::Node>& nodes) {
    const auto client = OpenController(cli_.server);
    for (size_t at = next_++; at < nodes.size(); at = next_++) {
      const std::string& node = nodes[at].name();
      const auto images = client ? at_node_(**client, node, lines_) : Fail(client.error());
      if (images) {
        images_ += *images;
      } else if (IsForAllNodes(images.error())) {
        next_ = nodes.size();
        const std::lock_guard lock(mutex_);
        refusal_ = images.error();
      } else {
        lines_.Refused(node, images.error());
      }
    }
  }

  Cli& cli_;
  const CareFlags& flags_;
  const AtNode at_node_;
  NodeLines lines_;
  std::atomic<size_t> next_ = 0;
  std::atomic<int> images_ = 0;
  std::mutex mutex_;
  std::optional<Error> refusal_;
};

// The controller answers within about a minute: more calls finish what is left.
Result<int> PruneNode(ControlClient& client, const v1::PruneImagesRequest& request,
                      NodeLines& lines) {
  v1::PruneImagesReply sums;
  v1::PruneImagesReply reply;
  int images = 0;
  do {
    reply = GP_TRY(client.Call<v1::PruneImagesReply>("PruneImages", request));
    sums.set_layers(sums.layers() + reply.layers());
    sums.set_bytes(sums.bytes() + reply.bytes());
    images = std::max(images, reply.images());
  } while (reply.more());
  std::string line = std::string(request.dry_run() ? "would remove " : "removed ") +
                     Layers(sums.layers(), sums.bytes());
  if (reply.layers_in_use() > 0)
    line += "; in use, and kept: " + Layers(reply.layers_in_use(), reply.bytes_in_use());
  lines.Print(request.node(), line);
  return images;
}

void Prune(const CareFlags& flags, Cli& cli) {
  v1::PruneImagesRequest request;
  request.set_image(flags.image);
  request.set_dry_run(flags.is_trial);
  if (!flags.unused_for.empty()) {
    const auto unused_for = ParseDuration(flags.unused_for);
    if (!unused_for) return cli.Complain(unused_for.error().Within("--unused-for"));
    request.set_unused_for_ms(unused_for->ToMilliseconds());
  }
  EachNode(cli, flags, [&](ControlClient& client, const std::string& node, NodeLines& lines) {
    v1::PruneImagesRequest at_node = request;
    at_node.set_node(node);
    return PruneNode(client, at_node, lines);
  }).Run();
}

void PrintDamage(const std::string& node, const v1::DamagedLayer& layer, NodeLines& lines) {
  const std::vector<std::string> names(layer.images().begin(), layer.images().end());
  lines.Print(node, "damaged: layer " + ShortDigest(layer.diff_id()) + " of " +
                        (names.empty() ? "no image that is known" : Join(names, ", ")) + ": " +
                        layer.path() + " " + layer.what() +
                        (layer.in_use() ? "; in use: it is removed once no job uses it"
                                        : "; it was removed"));
}

std::string SummaryOf(const v1::VerifyImagesReply& last) {
  std::string text = "verified " + Layers(last.layers(), last.bytes()) + ": ";
  text += last.layers_damaged() == 0 ? "none is damaged"
                                     : std::to_string(last.layers_damaged()) + " damaged";
  if (last.layers_counted() > 0)
    text += "; of " + std::to_string(last.layers_counted()) +
            ", which agents of an older version unpacked, only the files were counted";
  return text;
}

Result<int> VerifyNode(ControlClient& client, const v1::VerifyImagesRequest& request,
                       NodeLines& lines) {
  grpc::ClientContext context;
  v1::Control::Stub* const stub = GP_TRY(client.Streams(context));
  const auto reader = stub->VerifyImages(&context, request);
  v1::VerifyImagesReply reply;
  v1::VerifyImagesReply last;
  while (reader->Read(&reply)) {
    if (reply.has_damaged()) PrintDamage(request.node(), reply.damaged(), lines);
    last = reply;
  }
  if (last.layers_damaged() > 0) lines.SetExit(kExitUnhealthy);
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  if (!last.is_over()) return Fail(Unavailable("the controller ended the call early"));
  lines.Print(request.node(), SummaryOf(last));
  return last.images();
}

void Verify(const CareFlags& flags, Cli& cli) {
  EachNode(cli, flags, [&](ControlClient& client, const std::string& node, NodeLines& lines) {
    v1::VerifyImagesRequest request;
    request.set_node(node);
    request.set_image(flags.image);
    return VerifyNode(client, request, lines);
  }).Run();
}

void AddNodeFlags(CLI::App& sub, CareFlags& flags, const std::string& which) {
  sub.add_option("--nodes", flags.nodes, "Only these nodes; default: all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NODE,…");
  sub.add_option("--pool", flags.pool, "Only nodes of this pool")->type_name("POOL");
  sub.add_option("--image", flags.image, which)->type_name("IMAGE");
}

}  // namespace

void AddImageCare(CLI::App& images, Cli& cli) {
  auto verified = std::make_shared<CareFlags>();
  CLI::App* verify = images.add_subcommand(
      "verify", "Read unpacked layers of images again, and remove those that are damaged");
  AddNodeFlags(*verify, *verified,
               "Only layers of this image: its name, or its digest as `images list` shows it");
  verify->callback([verified, &cli] { Verify(*verified, cli); });
  auto pruned = std::make_shared<CareFlags>();
  CLI::App* prune = images.add_subcommand(
      "prune", "Remove unpacked layers of images that no job uses from nodes");
  AddNodeFlags(*prune, *pruned,
               "Only layers that no other image has of this one: its name, or its digest as "
               "`images list` shows it");
  prune
      ->add_option("--unused-for", pruned->unused_for,
                   "Only layers that no job has used for this time: 7d")
      ->type_name("DURATION");
  prune->add_flag("--dry-run", pruned->is_trial, "Only say what would be removed");
  prune->callback([pruned, &cli] { Prune(*pruned, cli); });
}

}  // namespace gp
