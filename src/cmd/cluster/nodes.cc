// Nodes: their pools, labels, loss and certificates.

#include <cstdio>

#include "cmd/cli.h"
#include "cmd/jobs/submit.h"
#include "cmd/lifetime_option.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/node_text.h"

namespace gp {
namespace {

using NodeChange = v1::ChangeNodeRequest;

void Print(const v1::Cluster& cluster, Cli& cli) {
  if (cli.PrintDocument(cluster)) return;
  if (cli.output != "name") return cli.PrintList(NodeTable(cluster), "nodes");
  for (const v1::Node& node : cluster.nodes()) std::printf("%s\n", node.name().c_str());
}

template <typename Method, typename Message>
void CallAndPrintNodes(Method method, const Message& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto cluster = (*client)->Call<v1::Cluster>(method, request);
  if (!cluster) return cli.Complain(cluster.error());
  Print(*cluster, cli);
}

void Change(const NodeChange& request, Cli& cli) { CallAndPrintNodes("ChangeNode", request, cli); }

void ShowNode(const std::string& name, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  v1::GetClusterRequest request;
  request.set_readings(true);
  request.set_node(name);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto cluster = (*client)->Call<v1::Cluster>("GetCluster", request);
  if (!cluster) return cli.Complain(cluster.error());
  const v1::Node& node = cluster->nodes(0);
  if (cli.PrintDocument(node)) return;
  cli.PrintText(DescribeNode(node));
  if (node.gpus_size() > 0) {
    std::printf("\n");
    cli.PrintTable(MarksTable(node));
  }
  if (node.leases_size() == 0) return cli.Say("no job holds resources of it");
  std::printf("\n");
  cli.PrintTable(LeaseTable(node));
}

void AddDescribe(CLI::App& nodes, Cli& cli) {
  CLI::App* sub = nodes.add_subcommand(
      "describe", "Describe a node: its state and why, when its drain ends, its GPUs, its leases");
  auto name = std::make_shared<std::string>();
  sub->add_option("node", *name, "Node")->required();
  sub->callback([name, &cli] { ShowNode(*name, cli); });
}

void AddPool(CLI::App& nodes, Cli& cli) {
  CLI::App* sub = nodes.add_subcommand("pool", "Move a node to a pool; jobs on it keep running");
  auto request = std::make_shared<NodeChange>();
  sub->add_option_function<std::string>(
         "node", [request](const std::string& name) { request->set_node(name); }, "Node")
      ->required();
  sub->add_option_function<std::string>(
         "pool", [request](const std::string& name) { request->set_pool(name); },
         "Pool; created if it does not exist")
      ->required();
  sub->callback([request, &cli] { Change(*request, cli); });
}

void AddLabel(CLI::App& nodes, Cli& cli) {
  CLI::App* sub =
      nodes.add_subcommand("label", "Set labels of a node, or remove them: zone=east rack-");
  auto node = std::make_shared<std::string>();
  auto words = std::make_shared<std::vector<std::string>>();
  sub->add_option("node", *node, "Node")->required();
  sub->add_option("labels", *words, "NAME=VALUE, or NAME- to remove")->required();
  sub->callback([node, words, &cli] {
    NodeChange request;
    request.set_node(*node);
    std::vector<std::string> set;
    for (const std::string& word : *words) {
      if (word.ends_with("-") && word.find('=') == std::string::npos) {
        request.add_labels_removed(word.substr(0, word.size() - 1));
      } else {
        set.push_back(word);
      }
    }
    const auto pairs = SplitPairs("label", set);
    if (!pairs) return cli.Complain(pairs.error());
    for (const auto& [name, value] : *pairs) (*request.mutable_labels())[name] = value;
    Change(request, cli);
  });
}

void AddDeclareLost(CLI::App& nodes, Cli& cli) {
  CLI::App* sub = nodes.add_subcommand(
      "declare-lost",
      "Confirm that a lost node is powered off (fenced), so that its jobs can be rescheduled");
  auto lost = std::make_shared<v1::DeclareNodeLostRequest>();
  auto force = std::make_shared<bool>(false);
  sub->add_option_function<std::string>(
         "node", [lost](const std::string& name) { lost->set_node(name); }, "Name of the node")
      ->required();
  sub->add_option_function<std::string>(
      "--reason", [lost](const std::string& why) { lost->set_reason(why); }, "Why you are sure");
  sub->add_flag("--force", *force, "Required: a job that still runs there would run twice");
  sub->callback([lost, force, &cli] {
    if (!*force)
      return cli.Complain(
          InvalidArgument("declare-lost needs --force: make sure first that the node is off"));
    CallAndPrintNodes("DeclareNodeLost", *lost, cli);
    if (cli.exit_code == kExitOk)
      cli.Say(lost->node() + " declared lost: its jobs are queued again");
  });
}

void AddRevokeNode(CLI::App& nodes, Cli& cli) {
  CLI::App* sub =
      nodes.add_subcommand("revoke",
                           "Revoke a node's certificates: its agent is disconnected, "
                           "and joins again only after `identity.pem` is removed there");
  auto request = std::make_shared<v1::RevokeNodeRequest>();
  sub->add_option_function<std::string>(
         "node", [request](const std::string& name) { request->set_node(name); },
         "Name of the node")
      ->required();
  sub->callback([request, &cli] {
    CallAndPrintNodes("RevokeNode", *request, cli);
    if (cli.exit_code == kExitOk)
      cli.Say(request->node() +
              " is disconnected; to let it join again, remove identity.pem in its agent's state "
              "directory and restart the agent");
  });
}

// The secret is the one line on stdout, so that a script can pass it on.
void PrintJoinToken(const v1::IssueJoinTokenReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  std::printf("%s\n", reply.secret().c_str());
  cli.Say("it lets " + reply.node() + " join once, until " + reply.expires_at() +
          ", and is not shown again: put it into the file of the agent's --join-token-file");
}

void AddJoinToken(CLI::App& nodes, Cli& cli) {
  CLI::App* sub = nodes.add_subcommand(
      "join-token", "Make a join token with which one new node joins once, over TLS");
  auto request = std::make_shared<v1::IssueJoinTokenRequest>();
  sub->add_option_function<std::string>(
         "node", [request](const std::string& name) { request->set_node(name); },
         "Name of the node; it need not exist")
      ->required();
  AddLifetime(*sub, request, "Lifetime of the token; default: 30m, at most 7d");
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto reply = (*client)->Call<v1::IssueJoinTokenReply>("IssueJoinToken", *request);
    if (!reply) return cli.Complain(reply.error());
    PrintJoinToken(*reply, cli);
  });
}

}  // namespace

void AddNodes(CLI::App& app, Cli& cli) {
  CLI::App* nodes = app.add_subcommand("nodes",
                                       "Nodes: list, describe, set pools and labels, declare lost, "
                                       "join tokens, revoke certificates");
  nodes->require_subcommand(1);
  cli.AddListFlags(nodes->add_subcommand("list", "List all nodes"))->callback([&cli] {
    v1::GetClusterRequest request;
    request.set_readings(cli.WantsDocument());
    request.set_totals_only(!cli.WantsDocument());
    CallAndPrintNodes("GetCluster", request, cli);
  });
  AddDescribe(*nodes, cli);
  AddPool(*nodes, cli);
  AddLabel(*nodes, cli);
  AddDeclareLost(*nodes, cli);
  AddJoinToken(*nodes, cli);
  AddRevokeNode(*nodes, cli);
}

}  // namespace gp
