#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/document.h"
#include "base/text.h"
#include "cmd/cluster_text.h"
#include "cmd/cli.h"

namespace gp {
namespace {

Result<v1::Cluster> FetchCluster(Cli& cli, bool readings) {
  v1::GetClusterRequest request;
  request.set_readings(readings);
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::Cluster>("GetCluster", request);
}

void ShowStatus(bool all, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  const auto cluster = FetchCluster(cli, true);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  std::fputs(ClusterHeadline(*cluster).c_str(), stdout);
  if (cluster->nodes_size() == 0) return cli.Say("no node has joined: gpu-platform agent, or serve --simulate dgx-h100");
  cli.PrintTable(all ? ClusterTree(*cluster) : NodeTable(*cluster));
  if (!all) cli.Say("every GPU: gpu-platform status --all");
}

struct Check {
  std::string name;
  std::string result;  // ok, WARN, FAIL, n/a
  std::string value;
  std::string meaning;
};

std::vector<Check> Examine(const v1::Node& node, const v1::Gpu& gpu) {
  const v1::GpuReadings& r = gpu.readings();
  std::vector<Check> checks;
  const auto add = [&](const char* name, bool known, bool bad, bool warn, std::string value, const char* meaning) {
    checks.push_back({name, !known ? "n/a" : bad ? "FAIL" : warn ? "WARN" : "ok", known ? std::move(value) : kDash,
                      known && (bad || warn) ? meaning : ""});
  };
  const bool heard = gpu.has_readings();
  add("node", true, node.state() != "UP", false, node.state(), "the node's agent does not answer");
  add("pcie_present", heard, r.lost(), false, r.lost() ? "lost" : "present", "fell off the bus: power-cycle the node, reseat or replace the card");
  add("ecc_uncorrected", r.has_ecc_uncorrected(), r.ecc_uncorrected() > 0, false, std::to_string(r.ecc_uncorrected()), "double-bit memory errors: reset, then test");
  add("ecc_corrected", r.has_ecc_corrected(), false, r.ecc_corrected() > 1'000, std::to_string(r.ecc_corrected()), "many corrected errors: watch it");
  add("row_remap", r.has_row_remap_failed(), r.row_remap_failed(), r.row_remap_pending(),
      r.row_remap_failed() ? "failed" : r.row_remap_pending() ? "pending" : "none", "a reset applies a pending remap; a failed one means service");
  add("temperature", r.has_temperature_celsius(),
      r.has_temperature_slowdown_celsius() && r.temperature_celsius() >= r.temperature_slowdown_celsius(), false,
      fmt::format("{} °C", r.temperature_celsius()), "at its slowdown limit");
  add("throttle", heard, false, r.throttle_reasons_size() > 0,
      r.throttle_reasons_size() == 0 ? "none" : fmt::format("{}", fmt::join(r.throttle_reasons(), ", ")), "clocks are held down");
  add("nvlink", r.has_nvlinks_total() && r.nvlinks_total() > 0, r.nvlinks_active() < r.nvlinks_total(), false,
      fmt::format("{} of {} up", r.nvlinks_active(), r.nvlinks_total()), "links are down");
  add("recovery_action", r.has_recovery_action(), r.recovery_action() != "none", false, r.recovery_action(), "what the driver asks for");
  return checks;
}

nlohmann::ordered_json HealthDocument(const v1::Gpu& gpu, const std::vector<Check>& checks, bool fail) {
  nlohmann::ordered_json document{{"verdict", fail ? "FAIL" : "ok"}, {"checks", nlohmann::ordered_json::array()}};
  for (const Check& check : checks) {
    document["checks"].push_back(
        {{"name", check.name}, {"result", check.result}, {"value", check.value}, {"meaning", check.meaning}});
  }
  document["gpu"] = ToDocument(gpu);
  return document;
}

void PrintVerdict(const FoundGpu& found, bool fail) {
  std::printf("%s  %s/%d  %s  %s\n", found.gpu->uuid().c_str(), found.node->name().c_str(), found.gpu->index(),
              ShortModel(found.gpu->model()).c_str(), found.gpu->pci_bus_id().c_str());
  std::printf("STATE    %s%s\n", StateText(*found.gpu).c_str(),
              found.gpu->reason().empty() ? "" : ("  " + Printable(found.gpu->reason(), 200)).c_str());
  std::printf("VERDICT  %s\n", fail ? "FAIL: do not use" : "ok");
}

void Health(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto cluster = FetchCluster(cli, true);
  if (!cluster) return cli.Complain(cluster.error());
  const FoundGpu found = FindGpu(*cluster, id);
  if (found.gpu == nullptr) {
    return cli.Complain(NotFound("no single GPU \"" + Printable(id, 60) + "\": give a UUID, a unique prefix of one, or node/index (gpu-platform gpus list)"));
  }
  const std::vector<Check> checks = Examine(*found.node, *found.gpu);
  bool fail = found.gpu->state() == v1::OFFLINE || found.gpu->state() == v1::DEGRADED;
  for (const Check& check : checks) fail = fail || check.result == "FAIL";
  if (fail) cli.exit_code = kExitUnhealthy;
  if (cli.WantsDocument()) {
    cli.PrintDocument(HealthDocument(*found.gpu, checks, fail));
    return;
  }
  if (cli.output != "csv") PrintVerdict(found, fail);
  Table table({{"CHECK"}, {"RESULT"}, {"VALUE"}, {"MEANING"}});
  for (const Check& check : checks) table.Add({check.name, check.result, check.value, check.meaning});
  cli.PrintTable(table);
}

struct FreeFlags {
  int count = 1;
  bool same_node = false;
  bool nvlink = false;
};

// The largest set of free GPUs of a node that are joined pairwise, or all of them.
int LargestBlock(const v1::Node& node, bool nvlink) {
  std::vector<int> free;
  for (const v1::Gpu& gpu : node.gpus()) {
    if (gpu.state() == v1::AVAILABLE && !gpu.draining()) free.push_back(gpu.index());
  }
  if (!nvlink) return static_cast<int>(free.size());
  int best = 0;
  for (const int first : free) {
    std::vector<int> joined{first};
    for (const int other : free) {
      if (other == first) continue;
      const bool all = std::all_of(joined.begin(), joined.end(), [&](int member) {
        return std::any_of(node.links().begin(), node.links().end(), [&](const v1::Link& link) {
          return link.gpu_a() == std::min(member, other) && link.gpu_b() == std::max(member, other);
        });
      });
      if (all) joined.push_back(other);
    }
    best = std::max(best, static_cast<int>(joined.size()));
  }
  return best;
}

void Free(const FreeFlags& flags, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto cluster = FetchCluster(cli, false);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  Table table({{"NODE"}, {"MODEL"}, {"FREE", true}, {fmt::format("BLOCKS OF {}", flags.count), true}, {"LARGEST", true}});
  int blocks = 0;
  for (const v1::Node& node : cluster->nodes()) {
    if (node.state() != "UP" || node.draining()) continue;
    const int free = LargestBlock(node, false);
    const int largest = LargestBlock(node, flags.nvlink);
    const int here = largest >= flags.count ? (flags.nvlink ? largest : free) / flags.count : 0;
    blocks += here;
    table.Add({node.name(), node.gpus_size() == 0 ? kDash : ShortModel(node.gpus(0).model()), std::to_string(free),
               std::to_string(here), std::to_string(largest)});
  }
  cli.PrintTable(table);
  if (blocks == 0) {
    cli.Say(fmt::format("no {} GPUs are free together now", flags.count));
    cli.exit_code = 6;
  }
}

void ShowGpus(Cli& cli) {
  const auto cluster = FetchCluster(cli, true);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  if (cli.output != "name") return cli.PrintTable(GpuTable(*cluster, false));
  for (const v1::Node& node : cluster->nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) std::printf("%s\n", gpu.uuid().c_str());
  }
}

}  // namespace

void AddStatus(CLI::App& app, Cli& cli) {
  auto all = std::make_shared<bool>(false);
  CLI::App* status = app.add_subcommand("status", "The cluster now; --all: every GPU");
  status->add_flag("--all", *all, "Every NUMA node and GPU");
  status->callback([all, &cli] { ShowStatus(*all, cli); });

  auto id = std::make_shared<std::string>();
  CLI::App* health = app.add_subcommand("health", "Checks of one GPU; exit code 9 if it should not be used");
  health->add_option("--gpu-id", *id, "UUID, unique prefix, node/index or PCI bus id")->required();
  health->callback([id, &cli] { Health(*id, cli); });

  CLI::App* gpus = app.add_subcommand("gpus", "GPUs: list, free");
  gpus->require_subcommand(1);
  gpus->add_subcommand("list", "Every GPU with who holds it")->callback([&cli] { ShowGpus(cli); });
  auto flags = std::make_shared<FreeFlags>();
  CLI::App* free = gpus->add_subcommand("free", "What is free now, and together");
  free->add_option("--count", flags->count, "In blocks of so many")->check(CLI::Range(1, 64));
  free->add_flag("--same-node", flags->same_node, "Blocks on one node (always so)");
  free->add_flag("--nvlink", flags->nvlink, "Blocks joined by NVLink");
  free->callback([flags, &cli] { Free(*flags, cli); });
}

}  // namespace gp
