#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "adapters/wire/documents/document.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

// What an answer about the cluster contains.
enum class Extent { kTotals, kGpus, kReadings };

Result<v1::Cluster> FetchCluster(Cli& cli, Extent extent) {
  v1::GetClusterRequest request;
  request.set_readings(extent == Extent::kReadings);
  request.set_totals_only(extent == Extent::kTotals);
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::Cluster>("GetCluster", request);
}

void ShowStatus(bool all, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  const auto cluster =
      FetchCluster(cli, all || cli.WantsDocument() ? Extent::kReadings : Extent::kTotals);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  std::fputs(ClusterHeadline(*cluster).c_str(), stdout);
  for (const v1::Breaker& breaker : cluster->breakers()) {
    std::printf(
        "NOTE     pool %s: nothing is reset or drained automatically: %s; gpu-platform incidents "
        "close %s ends this\n",
        breaker.pool().c_str(), Printable(breaker.cause(), 200).c_str(),
        breaker.incident().c_str());
  }
  if (cluster->nodes_size() == 0)
    return cli.Say(
        "no node has joined yet: an agent that was just started needs a few seconds; gpu-platform "
        "agent starts one, serve --simulate dgx-h100 simulates one");
  cli.PrintTable(all ? ClusterTree(*cluster) : NodeTable(*cluster));
  if (!all) cli.Say("every GPU: gpu-platform status --all");
}

struct HealthCheck {
  std::string name;
  std::string result;  // ok, WARN, FAIL, n/a
  std::string value;
  std::string meaning;
};

// What the verdict's finding of this code says of a reading; empty: there is none.
const v1::GpuVerdict::Finding* FindFinding(const v1::Gpu& gpu,
                                           std::initializer_list<std::string_view> codes) {
  for (const v1::GpuVerdict::Finding& finding : gpu.verdict().findings()) {
    if (std::ranges::find(codes, finding.code()) != codes.end()) return &finding;
  }
  return nullptr;
}

// The checks of one GPU.  Their results are the verdict's own findings; readings that the verdict
// does not use are at most a WARN.
class HealthChecks {
 public:
  HealthChecks(const v1::Node& node, const v1::Gpu& gpu)
      : gpu_(gpu), readings_(gpu.readings()), heard_(gpu.has_readings() && !readings_.stale()) {
    const bool is_up = node.state() == "UP";
    checks_.push_back({"node", is_up ? "ok" : "FAIL", node.state(),
                       is_up ? "" : "the node's agent does not answer"});
  }

  std::vector<HealthCheck> Run() {
    AddReadings();
    AddPresence();
    AddMemory();
    AddHeat();
    Add("nvlink", {"nvlink-down"}, readings_.has_nvlinks_total() && readings_.nvlinks_total() > 0,
        fmt::format("{} of {} up", readings_.nvlinks_active(), readings_.nvlinks_total()));
    Add("recovery_action", {"recovery-action"}, readings_.has_recovery_action(),
        readings_.recovery_action());
    AddXids();
    return std::move(checks_);
  }

 private:
  // By the finding of one of these codes; without one the check passes, if the value is known.
  void Add(const char* name, std::initializer_list<std::string_view> codes, bool known,
           std::string value) {
    value = known ? std::move(value) : kDash;
    const v1::GpuVerdict::Finding* finding = FindFinding(gpu_, codes);
    if (finding == nullptr) {
      checks_.push_back({name, known ? "ok" : "n/a", std::move(value), ""});
      return;
    }
    const std::string& follows = finding->follows();
    const bool is_soft = follows == "no-linked-work" || follows == "no-new-work";
    const char* result = follows == "none" ? "ok" : is_soft ? "WARN" : "FAIL";
    checks_.push_back({name, result, std::move(value), finding->text()});
  }

  // Of a reading that the verdict does not use.
  void Note(const char* name, bool known, bool warn, std::string value, const char* meaning) {
    const char* result = !known ? "n/a" : warn ? "WARN" : "ok";
    checks_.push_back(
        {name, result, known ? std::move(value) : kDash, known && warn ? meaning : ""});
  }

  void AddReadings() {
    const std::string stale = "stale " + SpanText(readings_.age_seconds());
    const bool is_of_lost_node = readings_.stale() && FindFinding(gpu_, {"unread"}) == nullptr;
    if (is_of_lost_node) {
      checks_.push_back({"readings", "WARN", stale, "the values below are the last ones read"});
      return;
    }
    Add("readings", {"unread"}, gpu_.has_readings(),
        readings_.stale() ? stale : fmt::format("{:.0f} s old", readings_.age_seconds()));
  }

  void AddPresence() {
    if (gpu_.verdict().code() == "missing") {
      checks_.push_back({"pcie_present", "FAIL", "absent", "its node reports its GPUs without it"});
      return;
    }
    const bool is_lost = FindFinding(gpu_, {"lost"}) != nullptr;
    Add("pcie_present", {"lost"}, heard_ || is_lost, is_lost ? "lost" : "present");
  }

  void AddMemory() {
    Add("ecc_uncorrected", {"ecc-uncorrected"}, readings_.has_ecc_uncorrected(),
        std::to_string(readings_.ecc_uncorrected()));
    Note("ecc_corrected", readings_.has_ecc_corrected(), readings_.ecc_corrected() > 1'000,
         std::to_string(readings_.ecc_corrected()), "many corrected errors: watch it");
    const char* remap = readings_.row_remap_failed()    ? "failed"
                        : readings_.row_remap_pending() ? "pending"
                                                        : "none";
    Add("row_remap", {"row-remap-failed", "row-remap-pending"}, readings_.has_row_remap_failed(),
        remap);
  }

  void AddHeat() {
    Add("temperature", {"critical-heat", "hot", "warm"}, readings_.has_temperature_celsius(),
        fmt::format("{} °C", readings_.temperature_celsius()));
    const auto& reasons = readings_.throttle_reasons();
    Note("throttle", heard_, !reasons.empty(),
         reasons.empty() ? "none" : fmt::format("{}", fmt::join(reasons, ", ")),
         "clocks are throttled");
  }

  void AddXids() {
    const v1::GpuVerdict& verdict = gpu_.verdict();
    for (const v1::GpuVerdict::Xid& xid : verdict.xids()) {
      const std::string number = std::to_string(xid.xid());
      checks_.push_back({"xid", verdict.code() == "xid-" + number ? verdict.level() : "WARN",
                         number,
                         "reported at " + xid.at() + "; gpu-platform xid explain " + number});
    }
  }

  const v1::Gpu& gpu_;
  const v1::GpuReadings& readings_;
  const bool heard_;
  std::vector<HealthCheck> checks_;
};

nlohmann::ordered_json HealthDocument(const v1::Gpu& gpu, const std::vector<HealthCheck>& checks) {
  const v1::GpuVerdict& verdict = gpu.verdict();
  nlohmann::ordered_json document{{"verdict", verdict.level()},
                                  {"code", verdict.code()},
                                  {"why", verdict.why()},
                                  {"follows", verdict.follows()},
                                  {"takes_new_work", verdict.takes_new_work()},
                                  {"checks", nlohmann::ordered_json::array()}};
  for (const HealthCheck& check : checks) {
    document["checks"].push_back({{"name", check.name},
                                  {"result", check.result},
                                  {"value", check.value},
                                  {"meaning", check.meaning}});
  }
  document["gpu"] = ToDocument(gpu);
  return document;
}

void PrintVerdict(const FoundGpu& found) {
  const v1::GpuVerdict& verdict = found.gpu->verdict();
  std::printf("%s  %s/%d  %s  %s\n", found.gpu->uuid().c_str(), found.node->name().c_str(),
              found.gpu->index(), ShortModel(found.gpu->model()).c_str(),
              found.gpu->pci_bus_id().c_str());
  std::printf(
      "STATE    %s%s\n", StateText(*found.gpu).c_str(),
      found.gpu->reason().empty() ? "" : ("  " + Printable(found.gpu->reason(), 200)).c_str());
  const std::string code =
      verdict.code() == verdict.level()
          ? ""
          : "  " + verdict.code() +
                (verdict.why().empty() ? "" : ": " + Printable(verdict.why(), 200));
  std::printf("VERDICT  %s%s\n", verdict.level().c_str(), code.c_str());
  if (!verdict.follows().empty())
    std::printf("ACTION   %s\n", Printable(verdict.follows(), 200).c_str());
  if (!verdict.incident().empty()) std::printf("INCIDENT %s\n", verdict.incident().c_str());
}

void Health(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "csv"})) return;
  const auto cluster = FetchCluster(cli, Extent::kReadings);
  if (!cluster) return cli.Complain(cluster.error());
  const FoundGpu found = FindGpu(*cluster, id);
  if (found.gpu == nullptr) {
    return cli.Complain(NotFound(
        "no single GPU \"" + Printable(id, 60) +
        "\": give a UUID, a unique prefix of one, or node/index (gpu-platform gpus list)"));
  }
  const std::vector<HealthCheck> checks = HealthChecks(*found.node, *found.gpu).Run();
  if (!found.gpu->verdict().takes_new_work() && found.gpu->verdict().level() != "ok")
    cli.exit_code = kExitUnhealthy;
  if (cli.WantsDocument()) {
    cli.PrintDocument(HealthDocument(*found.gpu, checks));
    return;
  }
  if (cli.output != "csv") PrintVerdict(found);
  Table table({{"CHECK"}, {"RESULT"}, {"VALUE"}, {"MEANING"}});
  for (const HealthCheck& check : checks)
    table.Add({check.name, check.result, check.value, check.meaning});
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
  const auto cluster = FetchCluster(cli, Extent::kGpus);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  Table table({{"NODE"},
               {"MODEL"},
               {"FREE", true},
               {fmt::format("BLOCKS OF {}", flags.count), true},
               {"LARGEST", true}});
  int blocks = 0;
  for (const v1::Node& node : cluster->nodes()) {
    if (node.state() != "UP" || node.draining()) continue;
    const int free = LargestBlock(node, false);
    const int largest = LargestBlock(node, flags.nvlink);
    const int here = largest >= flags.count ? (flags.nvlink ? largest : free) / flags.count : 0;
    blocks += here;
    table.Add({node.name(), node.gpus_size() == 0 ? kDash : ShortModel(node.gpus(0).model()),
               std::to_string(free), std::to_string(here), std::to_string(largest)});
  }
  cli.PrintTable(table);
  if (blocks == 0) {
    cli.Say(fmt::format("no {} GPUs are free together now", flags.count));
    cli.exit_code = 6;
  }
}

void ShowGpus(Cli& cli) {
  const auto cluster = FetchCluster(cli, Extent::kReadings);
  if (!cluster) return cli.Complain(cluster.error());
  if (cli.PrintDocument(*cluster)) return;
  if (cli.output != "name") return cli.PrintList(GpuTable(*cluster, false), "GPUs");
  for (const v1::Node& node : cluster->nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) std::printf("%s\n", gpu.uuid().c_str());
  }
}

}  // namespace

void AddStatus(CLI::App& app, Cli& cli) {
  auto all = std::make_shared<bool>(false);
  CLI::App* status =
      app.add_subcommand("status", "Show the state of the cluster; --all: every GPU");
  status->add_flag("--all", *all, "Every NUMA node and GPU");
  status->callback([all, &cli] { ShowStatus(*all, cli); });

  auto id = std::make_shared<std::string>();
  CLI::App* health = app.add_subcommand(
      "health",
      "Show the health verdict on a GPU and its checks; exit code 9 if it takes no new work");
  health->add_option("gpu,--gpu-id", *id, "UUID, unique prefix, node/index or PCI bus id")
      ->required()
      ->type_name("GPU");
  health->callback([id, &cli] { Health(*id, cli); });

  CLI::App* gpus = app.add_subcommand("gpus", "GPUs: list, free");
  gpus->require_subcommand(1);
  cli.AddListFlags(gpus->add_subcommand("list", "List all GPUs with the jobs that hold them"))
      ->callback([&cli] { ShowGpus(cli); });
  auto flags = std::make_shared<FreeFlags>();
  CLI::App* free =
      gpus->add_subcommand("free", "Show the GPUs that are free now, and blocks of them");
  free->add_option("--count", flags->count, "Size of the blocks")->check(CLI::Range(1, 64));
  free->add_flag("--same-node", flags->same_node, "Blocks on one node (always so)");
  free->add_flag("--nvlink", flags->nvlink, "Blocks joined by NVLink");
  free->callback([flags, &cli] { Free(*flags, cli); });
}

}  // namespace gp
