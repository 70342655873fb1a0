#include "cmd/text/cluster_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "cmd/text/job_text.h"
#include "cmd/text/state_color.h"

namespace gp {
namespace {

std::string Users(const v1::Gpu& gpu) {
  std::set<std::string> users;
  for (const v1::Holder& holder : gpu.holders()) users.insert(holder.user());
  return users.empty() ? kDash : Join(std::vector<std::string>(users.begin(), users.end()), ", ");
}

// What is used or granted, of all; its value is the first.
Cell Memory(const v1::Gpu& gpu) {
  const std::string total = BytesToText(gpu.memory_bytes());
  if (gpu.mode() == "timeslice")
    return {BytesToText(gpu.memory_granted_bytes()) + " of " + total + " granted",
            static_cast<double>(gpu.memory_granted_bytes())};
  if (!gpu.readings().has_memory_used_bytes()) return kDash + (" of " + total);
  return {BytesToText(gpu.readings().memory_used_bytes()) + " of " + total,
          static_cast<double>(gpu.readings().memory_used_bytes())};
}

template <typename T>
Cell Measured(bool has, T value, const char* unit) {
  return has ? Cell(Reading(true, value, unit), static_cast<double>(value)) : kDash;
}

// Stale readings show their age in place of the first value.
Cell Utilization(const v1::GpuReadings& r) {
  if (r.stale()) return "stale " + SpanText(r.age_seconds());
  return Measured(r.has_utilization_percent(), r.utilization_percent(), "%");
}

Cells GpuCells(const std::string& name, const v1::Gpu& gpu) {
  const v1::GpuReadings& r = gpu.readings();
  return {name,
          StateText(gpu),
          ShortModel(gpu.model()),
          Utilization(r),
          Memory(gpu),
          Measured(r.has_temperature_celsius(), r.temperature_celsius(), "°"),
          Measured(r.has_power_watts(), r.power_watts(), "W"),
          HoldersText(gpu),
          Users(gpu)};
}

// The MIG profiles of the GPU, once it is in MIG mode.
std::string MigProfiles(const v1::Gpu& gpu) {
  const auto& names = gpu.readings().mig_profiles();
  return names.empty() ? kDash : Printable(fmt::format("{}", fmt::join(names, " ")), 400);
}

constexpr size_t kNoteColumn = 14;  // of a GPU

// `first`: the column that names the GPU.
std::vector<Column> GpuColumns(Column first) {
  return {std::move(first),
          {.title = "STATE", .color = StateColor},
          {.title = "MODEL", .cut = true, .drop = 5},
          {.title = "UTIL", .right = true, .drop = 2},
          {.title = "MEMORY", .drop = 4},
          {.title = "TEMP", .right = true, .drop = 3},
          {.title = "POWER", .right = true, .drop = 6},
          {.title = "JOB", .cut = true},
          {.title = "USER", .drop = 1}};
}

// What a GPU can do, after all columns that change.
void AddCapabilityColumns(std::vector<Column>& columns) {
  columns.insert(columns.end(), {{.title = "UUID", .drop = 7},
                                 {.title = "CC", .right = true, .drop = 8, .wide = true},
                                 {.title = "PCI", .drop = 9, .wide = true},
                                 {.title = "MODE", .drop = 10, .wide = true},
                                 {.title = "MIG PROFILES", .drop = 11, .wide = true},
                                 {.title = "NOTE", .cut = true}});
}

std::string NodeStateText(const v1::Node& node) {
  return node.draining() ? "DRAINING " + node.state() : node.state();
}

Cells NumaCells(const v1::NumaNode& numa) {
  return {fmt::format("numa{} cpu {}", numa.id(), numa.cpus()), "", "", "",
          BytesToText(numa.memory_granted_bytes()) + " of " + BytesToText(numa.memory_bytes()) +
              " host"};
}

Cells CellsOf(const v1::Gpu& gpu, const std::string& name) {
  Cells cells = GpuCells(name, gpu);
  cells.insert(cells.end(), {gpu.uuid(), ComputeCapabilityText(gpu), gpu.pci_bus_id(), gpu.mode(),
                             MigProfiles(gpu), NoteText(gpu)});
  return cells;
}

// The node, below it its NUMA nodes, below them their GPUs.
void AddNodeRows(const v1::Node& node, Table& table) {
  Cells cells{node.name() + (node.simulated() ? " (simulated)" : ""), NodeStateText(node)};
  cells.resize(kNoteColumn);
  cells.push_back(node.reason());
  const int node_row = table.Add(std::move(cells));
  for (const v1::NumaNode& numa : node.numa_nodes()) {
    const int numa_row = table.Add(NumaCells(numa), node_row);
    for (const v1::Gpu& gpu : node.gpus()) {
      if (gpu.numa_node() == numa.id())
        table.Add(CellsOf(gpu, fmt::format("{} {}", gpu.index(), gpu.uuid().substr(0, 12))),
                  numa_row);
    }
  }
}

// What is broken, whether it is simulated, its labels, and why it is in its state.
std::string NodeRemarks(const v1::Node& node) {
  std::vector<std::string> remarks;
  if (const int out = node.totals().gpus_out(); out > 0)
    remarks.push_back(Count(out, "GPU") + " out of service");
  if (node.simulated()) remarks.push_back("simulated");
  const std::map<std::string, std::string> labels(node.labels().begin(), node.labels().end());
  for (const auto& [name, value] : labels) remarks.push_back(name + "=" + value);
  if (!node.reason().empty()) remarks.push_back(node.reason());
  return Join(remarks, "; ");
}

Cells NodeCells(const v1::Node& node) {
  const v1::NodeTotals& totals = node.totals();
  return {node.name(),
          NodeStateText(node),
          node.pool(),
          std::to_string(totals.gpus()),
          std::to_string(totals.gpus_free()),
          totals.gpus() == 0 ? kDash : ShortModel(totals.gpu_model()),
          std::to_string(totals.cpus()),
          {BytesToText(totals.memory_bytes()), static_cast<double>(totals.memory_bytes())},
          node.driver_version(),
          NodeRemarks(node)};
}

}  // namespace

std::string HoldersText(const v1::Gpu& gpu) {
  std::string text;
  for (const v1::Holder& holder : gpu.holders()) {
    if (!text.empty()) text += ", ";
    text += holder.job_name() + "/" + std::to_string(holder.rank()) + " (" + holder.job_id() +
            (holder.instance().empty() ? "" : ", " + holder.instance()) + ")";
  }
  return text.empty() ? kDash : text;
}

// The health verdict, if it is not ok.
std::string NoteText(const v1::Gpu& gpu) {
  const v1::GpuVerdict& verdict = gpu.verdict();
  if (verdict.level() == "ok" || verdict.level().empty() || verdict.code() == "out-of-service")
    return gpu.reason();
  return verdict.level() + " " + verdict.code() +
         (verdict.why().empty() ? "" : ": " + verdict.why()) +
         (verdict.follows().empty() ? "" : "; " + verdict.follows());
}

std::string ShortModel(const std::string& model) {
  std::string text = model.starts_with("NVIDIA ") ? model.substr(7) : model;
  if (text.starts_with("Tesla ")) text = text.substr(6);
  return text;
}

std::string ComputeCapabilityText(const v1::Gpu& gpu) {
  const std::string& text = gpu.readings().compute_capability();
  return text.empty() ? kDash : Printable(text, 20);
}

std::string StateText(const v1::Gpu& gpu) {
  std::string text = v1::GpuState_Name(gpu.state());
  if (gpu.draining() && gpu.state() != v1::OFFLINE) text = "DRAINING " + text;
  if (gpu.state() == v1::DEGRADED || (gpu.state() == v1::OFFLINE && gpu.detail() != "OFFLINE")) {
    text += " (" + gpu.detail() + ")";
  }
  return text;
}

namespace {

std::string ControllersLines(const v1::ClusterControllers& controllers) {
  std::string text = fmt::format("LEADER   {}, term {}", controllers.leader(), controllers.term());
  text += controllers.standbys().empty()
              ? "; NO STANDBY could take over: gpu-platform admin controllers list\n"
              : fmt::format("; standbys {}\n", fmt::join(controllers.standbys(), ", "));
  for (const v1::StoreMember& member : controllers.store())
    if (!member.trouble().empty())
      text += fmt::format("STORE    {}: {}\n", member.endpoint(), member.trouble());
  return text;
}

std::string ArchiveLine(const v1::ClusterArchive& archive) {
  const auto known = [](const std::string& time, const char* unless) {
    return time.empty() ? unless : time.c_str();
  };
  return fmt::format("ARCHIVE  {}complete until {}; last verified {}\n",
                     archive.fails() ? "COPIES FAIL (gpu-platform admin dr status); " : "",
                     known(archive.complete_until(), "an unknown time"),
                     known(archive.verified_at(), "never"));
}

}  // namespace

std::string ClusterHeadline(const v1::Cluster& cluster) {
  const auto& by_state = cluster.gpus_by_state();
  const std::map<std::string, int> counts(by_state.begin(), by_state.end());
  int gpus = 0;
  for (const auto& [state, count] : counts) gpus += count;
  std::string text =
      fmt::format("CLUSTER  {}  {}:", Count(cluster.nodes_size(), "node"), Count(gpus, "GPU"));
  for (const auto& [state, count] : counts) text += fmt::format(" {} {} ·", count, state);
  if (gpus > 0) text.resize(text.size() - std::string(" ·").size());
  text += fmt::format("   running {}   queued {}", cluster.jobs_running(), cluster.jobs_queued());
  if (cluster.has_oldest_wait_seconds())
    text += " (oldest " + SpanText(cluster.oldest_wait_seconds()) + ")";
  text += "\n";
  if (cluster.has_controllers()) text += ControllersLines(cluster.controllers());
  if (cluster.has_archive()) text += ArchiveLine(cluster.archive());
  if (const int open = cluster.incidents_for_operators(); open > 0)
    text += "NOTE     " + Count(open, "incident") + (open == 1 ? " requires" : " require") +
            " operator action: gpu-platform incidents list\n";
  if (cluster.has_unread_seconds())
    text += "NOTE     the controller is overloaded: messages of agents have waited unread for " +
            SpanText(cluster.unread_seconds()) + "; no node counts as lost meanwhile\n";
  return text;
}

Table ClusterTree(const v1::Cluster& cluster) {
  std::vector<Column> columns = GpuColumns({.title = "NODE/NUMA/GPU", .tree = true});
  AddCapabilityColumns(columns);
  std::ranges::find(columns, "UUID", &Column::title)->wide = true;  // begins in the first column
  Table table(std::move(columns));
  for (const v1::Node& node : cluster.nodes()) AddNodeRows(node, table);
  return table;
}

Table GpuTable(const v1::Cluster& cluster, bool only_free) {
  std::vector<Column> columns = GpuColumns({.title = "GPU"});
  AddCapabilityColumns(columns);
  Table table(std::move(columns));
  for (const v1::Node& node : cluster.nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) {
      if (only_free && (gpu.state() != v1::AVAILABLE || gpu.draining())) continue;
      table.Add(CellsOf(gpu, fmt::format("{}/{}", node.name(), gpu.index())));
    }
  }
  return table;
}

Table NodeTable(const v1::Cluster& cluster) {
  Table table({{.title = "NODE"},
               {.title = "STATE", .color = StateColor},
               {.title = "POOL", .drop = 2},
               {.title = "GPUS", .right = true},
               {.title = "FREE", .right = true},
               {.title = "MODEL", .cut = true, .drop = 1},
               {.title = "CPUS", .right = true, .drop = 4},
               {.title = "MEMORY", .drop = 3},
               {.title = "DRIVER", .drop = 5},
               {.title = "NOTE", .cut = true}});
  for (const v1::Node& node : cluster.nodes()) table.Add(NodeCells(node));
  return table;
}

FoundGpu FindGpu(const v1::Cluster& cluster, const std::string& text) {
  FoundGpu found;
  if (text.empty()) return found;  // a prefix of each
  int matches = 0;
  for (const v1::Node& node : cluster.nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) {
      if (gpu.uuid() == text) return {&node, &gpu};
      const bool match = gpu.uuid().starts_with(text) ||
                         text == fmt::format("{}/{}", node.name(), gpu.index()) ||
                         text == gpu.pci_bus_id();
      if (!match) continue;
      ++matches;
      found = {&node, &gpu};
    }
  }
  return matches == 1 ? found : FoundGpu{};
}

}  // namespace gp
