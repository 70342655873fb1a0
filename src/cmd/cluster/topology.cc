#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"
#include "base/cpu_set.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/cluster_text.h"

namespace gp {
namespace {

constexpr const char* kLegend =
    "X: itself   NV4: 4 NVLinks   NODE: same NUMA node   SYS: another NUMA node";

const v1::NumaNode* NumaOf(const v1::Node& node, const v1::Gpu& gpu) {
  for (const v1::NumaNode& numa : node.numa_nodes()) {
    if (numa.id() == gpu.numa_node()) return &numa;
  }
  return nullptr;
}

// How two GPUs of a node reach each other, in the words of nvidia-smi.
std::string Way(const v1::Node& node, const v1::Gpu& a, const v1::Gpu& b) {
  if (a.index() == b.index()) return "X";
  const int low = std::min(a.index(), b.index());
  const int high = std::max(a.index(), b.index());
  for (const v1::Link& link : node.links()) {
    if (link.gpu_a() == low && link.gpu_b() == high) return fmt::format("NV{}", link.nvlinks());
  }
  return a.numa_node() == b.numa_node() ? "NODE" : "SYS";
}

Table Matrix(const v1::Node& node) {
  std::vector<Column> columns{{""}};
  for (const v1::Gpu& gpu : node.gpus()) columns.push_back({fmt::format("GPU{}", gpu.index())});
  columns.push_back({"CPU AFFINITY"});
  columns.push_back({"NUMA", true});
  Table table(columns);
  for (const v1::Gpu& row : node.gpus()) {
    Cells cells{fmt::format("GPU{}", row.index())};
    for (const v1::Gpu& column : node.gpus()) cells.push_back(Way(node, row, column));
    const v1::NumaNode* numa = NumaOf(node, row);
    cells.push_back(numa == nullptr ? kDash : numa->cpus());
    cells.push_back(std::to_string(row.numa_node()));
    table.Add(std::move(cells));
  }
  return table;
}

// Packages, below them NUMA nodes, below them GPUs.
Table Tree(const v1::Node& node) {
  Table table(
      {{"PACKAGE/NUMA/GPU", false, true}, {"CPUS"}, {"MEMORY"}, {"CC", true}, {"PCI"}, {"UUID"}});
  std::map<int, int> row_by_package;
  for (const v1::NumaNode& numa : node.numa_nodes()) {
    auto [package, fresh] = row_by_package.try_emplace(numa.package(), 0);
    if (fresh) package->second = table.Add({fmt::format("package {}", numa.package())});
    const int at = table.Add(
        {fmt::format("numa {}", numa.id()), numa.cpus(), BytesToText(numa.memory_bytes())},
        package->second);
    for (const v1::Gpu& gpu : node.gpus()) {
      if (gpu.numa_node() != numa.id()) continue;
      table.Add({fmt::format("GPU{}", gpu.index()), "", BytesToText(gpu.memory_bytes()),
                 ComputeCapabilityText(gpu), gpu.pci_bus_id(), gpu.uuid()},
                at);
    }
  }
  return table;
}

void PrintNode(const v1::Node& node) {
  std::printf("%s  %d GPUs%s%s  driver %s%s\n", node.name().c_str(), node.gpus_size(),
              node.gpus_size() > 0 ? "  " : "",
              node.gpus_size() > 0 ? ShortModel(node.gpus(0).model()).c_str() : "",
              node.driver_version().c_str(), node.simulated() ? "  (simulated)" : "");
  if (node.gpus_size() > 0) std::printf("\n%s", Matrix(node).ToText().c_str());
  std::printf("\n%s", Tree(node).ToText().c_str());
}

nlohmann::ordered_json NodeDocument(const v1::Node& node) {
  nlohmann::ordered_json document{{"name", node.name()},
                                  {"numa_nodes", nlohmann::ordered_json::array()},
                                  {"gpus", nlohmann::ordered_json::array()}};
  for (const v1::NumaNode& numa : node.numa_nodes())
    document["numa_nodes"].push_back(ToDocument(numa));
  for (const v1::Gpu& gpu : node.gpus()) {
    nlohmann::ordered_json ways = nlohmann::ordered_json::array();
    for (const v1::Gpu& other : node.gpus()) ways.push_back(Way(node, gpu, other));
    const auto& profiles = gpu.readings().mig_profiles();
    document["gpus"].push_back(
        {{"index", gpu.index()},
         {"uuid", gpu.uuid()},
         {"pci_bus_id", gpu.pci_bus_id()},
         {"numa_node", gpu.numa_node()},
         {"compute_capability", gpu.readings().compute_capability()},
         {"mig_profiles", std::vector<std::string>(profiles.begin(), profiles.end())},
         {"to_gpus", std::move(ways)}});
  }
  return document;
}

void ShowTopology(const std::string& name, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  v1::GetClusterRequest request;
  request.set_readings(true);  // what a GPU can do comes with them
  const auto cluster = (*client)->Call<v1::Cluster>("GetCluster", request);
  if (!cluster) return cli.Complain(cluster.error());
  nlohmann::ordered_json document{{"nodes", nlohmann::ordered_json::array()}};
  std::vector<std::string> names;
  int shown = 0;
  for (const v1::Node& node : cluster->nodes()) {
    names.push_back(node.name());
    if (!name.empty() && node.name() != name) continue;
    if (cli.WantsDocument()) {
      document["nodes"].push_back(NodeDocument(node));
    } else {
      if (shown > 0) std::printf("\n");
      PrintNode(node);
    }
    ++shown;
  }
  if (!name.empty() && shown == 0) {
    const auto near = Nearest(name, names);
    return cli.Complain(NotFound("no node \"" + Printable(name, 60) + "\"" +
                                 (near ? " — did you mean " + *near + "?" : "")));
  }
  if (cli.PrintDocument(document)) return;
  if (shown == 0) {
    cli.Say("no node has joined: gpu-platform agent, or serve --simulate dgx-h100");
  } else {
    cli.Say(kLegend);
  }
}

}  // namespace

void AddTopology(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "topology", "Show the topology of each node: NVLinks, NUMA nodes, CPUs and memory");
  auto node = std::make_shared<std::string>();
  sub->add_option("--node", *node, "Only this node")->type_name("NODE");
  sub->callback([node, &cli] { ShowTopology(*node, cli); });
}

}  // namespace gp
