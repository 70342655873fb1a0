#include "cmd/watch/watch_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/job_text.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr int kHotMarginC = 5;  // below the driver's own slowdown

WatchCell Text(std::string text, WatchLevel level = WatchLevel::kPlain) {
  return {text.empty() ? kDash : Printable(text, 400), std::nullopt, std::nullopt, level};
}

template <typename T>
WatchCell Number(bool known, T value, const std::string& unit = "") {
  if (!known) return Text("", WatchLevel::kDim);
  return {fmt::format("{}{}", value, unit), static_cast<double>(value)};
}

bool IsHot(const v1::GpuReadings& r) {
  return r.has_temperature_celsius() && r.has_temperature_slowdown_celsius() &&
         r.temperature_celsius() >= r.temperature_slowdown_celsius() - kHotMarginC;
}

bool NeedsAttention(const v1::Gpu& gpu) {
  return gpu.state() >= v1::DEGRADED || gpu.draining() || IsHot(gpu.readings()) ||
         gpu.verdict().level() != "ok";
}

// Why it is marked.
std::string GpuNote(const v1::Gpu& gpu) {
  const v1::GpuReadings& r = gpu.readings();
  std::vector<std::string> notes;
  if (!gpu.reason().empty()) notes.push_back(Printable(gpu.reason(), 400));
  for (const v1::GpuVerdict::Finding& finding : gpu.verdict().findings()) {
    if (finding.text() != gpu.reason()) notes.push_back(finding.text());
  }
  if (IsHot(r)) notes.push_back(fmt::format("slows down at {}°", r.temperature_slowdown_celsius()));
  return Join(notes, "; ");
}

WatchLevel LevelOf(const v1::Gpu& gpu) {
  if (gpu.state() == v1::OFFLINE || gpu.state() == v1::DEGRADED) return WatchLevel::kBad;
  if (gpu.state() == v1::RESETTING || gpu.draining()) return WatchLevel::kWarn;
  return gpu.state() == v1::AVAILABLE ? WatchLevel::kPlain : WatchLevel::kBusy;
}

std::string ShortState(const v1::Gpu& gpu) {
  if (gpu.draining() && gpu.state() != v1::OFFLINE) return "DRAINING";
  return v1::GpuState_Name(gpu.state());
}

WatchCell Mark(bool attention) {
  return {attention ? "!" : " ", attention ? 0.0 : 1.0, std::nullopt,
          attention ? WatchLevel::kBad : WatchLevel::kPlain};
}

WatchCell UtilizationCell(const v1::GpuReadings& r) {
  WatchCell cell = Number(r.has_utilization_percent(), r.utilization_percent());
  if (r.has_utilization_percent()) cell.fill = r.utilization_percent() / 100.0;
  return cell;
}

WatchCell MemoryUse(const v1::Gpu& gpu) {
  if (!gpu.readings().has_memory_used_bytes() || gpu.memory_bytes() == 0)
    return Text("", WatchLevel::kDim);
  const double used = static_cast<double>(gpu.readings().memory_used_bytes());
  const double gib = used / (1 << 30);
  const std::string text = gib < 10 ? fmt::format("{:.2g}G", gib) : fmt::format("{:.0f}G", gib);
  return {text, used, used / static_cast<double>(gpu.memory_bytes())};
}

WatchCell Temperature(const v1::GpuReadings& r) {
  WatchCell cell = Number(r.has_temperature_celsius(), r.temperature_celsius());
  if (!IsHot(r)) return cell;
  cell.text += "!";
  cell.level = WatchLevel::kBad;
  return cell;
}

// node-2 before node-10, in whatever order they joined.
std::vector<const v1::Node*> ByName(const v1::Cluster& cluster) {
  std::vector<const v1::Node*> nodes;
  for (const v1::Node& node : cluster.nodes()) nodes.push_back(&node);
  std::ranges::sort(nodes, [](const v1::Node* a, const v1::Node* b) {
    return strverscmp(a->name().c_str(), b->name().c_str()) < 0;
  });
  return nodes;
}

std::string HolderNames(const v1::Gpu& gpu) {
  std::vector<std::string> names;
  for (const v1::Holder& holder : gpu.holders()) names.push_back(holder.job_name());
  return Join(names, ",");
}

std::vector<std::string> HolderIds(const v1::Gpu& gpu) {
  std::vector<std::string> ids;
  for (const v1::Holder& holder : gpu.holders()) {
    if (std::ranges::find(ids, holder.job_id()) == ids.end()) ids.push_back(holder.job_id());
  }
  return ids;
}

std::vector<std::string> ReadingLines(const v1::GpuReadings& r) {
  return {"utilization  " + Reading(r.has_utilization_percent(), r.utilization_percent(), "%"),
          "temperature  " + Reading(r.has_temperature_celsius(), r.temperature_celsius(), "°") +
              ", slows down at " +
              Reading(r.has_temperature_slowdown_celsius(), r.temperature_slowdown_celsius(), "°"),
          "power        " + Reading(r.has_power_watts(), r.power_watts(), " W") + " of " +
              Reading(r.has_power_limit_watts(), r.power_limit_watts(), " W"),
          "ECC errors   " + Reading(r.has_ecc_corrected(), r.ecc_corrected(), "") + " corrected, " +
              Reading(r.has_ecc_uncorrected(), r.ecc_uncorrected(), "") + " not",
          "NVLinks      " + Reading(r.has_nvlinks_active(), r.nvlinks_active(), "") + " of " +
              Reading(r.has_nvlinks_total(), r.nvlinks_total(), "") + " active"};
}

std::string HolderLine(const v1::Holder& holder) {
  return fmt::format("held by      {} {} rank {} of {}{}", holder.job_id(),
                     Printable(holder.job_name(), 128), holder.rank(), holder.user(),
                     holder.instance().empty() ? "" : ", MIG " + holder.instance());
}

std::vector<std::string> GpuDetails(const v1::Node& node, const v1::Gpu& gpu) {
  std::vector<std::string> lines{
      fmt::format("{}/{}  {}", node.name(), gpu.index(), gpu.uuid()),
      fmt::format("{}  {}  {}", gpu.model(), gpu.pci_bus_id(),
                  gpu.minor() >= 0 ? fmt::format("/dev/nvidia{}", gpu.minor()) : ""),
      "state        " + StateText(gpu) + (gpu.reason().empty() ? "" : ": " + gpu.reason()),
      fmt::format("NUMA node    {}", gpu.numa_node()),
      fmt::format("memory       {} usable, {} granted", BytesToText(gpu.memory_bytes()),
                  BytesToText(gpu.memory_granted_bytes()))};
  for (const std::string& line : ReadingLines(gpu.readings())) lines.push_back(line);
  for (const v1::Holder& holder : gpu.holders()) lines.push_back(HolderLine(holder));
  lines.push_back("more: gpu-platform health --gpu-id " + gpu.uuid());
  return lines;
}

std::vector<WatchColumn> GpuColumns() {
  return {{"NODE/GPU", 8, 40, 9, false, true},
          {"", 1, 1, 9},
          {"STATE", 9, 9, 9},
          {"UTIL", 9, 34, 8, true},
          {"MEM", 10, 34, 7, true},
          {"°C", 4, 4, 6, true},
          {"W", 4, 4, 5, true},
          {"JOB", 10, 40, 8},
          {"USER", 6, 16, 7},
          {"MODEL", 10, 24, 3},
          {"NOTE", 10, 80, 4, false, false, true}};
}

// `place`: among all GPUs of the view.
WatchRow RowOfGpu(const v1::Node& node, const v1::Gpu& gpu, size_t place) {
  const v1::GpuReadings& r = gpu.readings();
  return {gpu.uuid(),
          {{fmt::format("{}/{}", node.name(), gpu.index()), static_cast<double>(place)},
           Mark(NeedsAttention(gpu)),
           Text(ShortState(gpu), LevelOf(gpu)),
           UtilizationCell(r),
           MemoryUse(gpu),
           Temperature(r),
           Number(r.has_power_watts(), r.power_watts()),
           Text(HolderNames(gpu)),
           Text(gpu.holders_size() > 0 ? gpu.holders(0).user() : ""),
           Text(ShortModel(gpu.model())),
           {GpuNote(gpu)}},
          [&node, &gpu] { return GpuDetails(node, gpu); },
          HolderIds(gpu),
          fmt::format("{}/{}", node.name(), gpu.index())};
}

WatchTable GpuView(const WatchData& data) {
  WatchTable table{GpuColumns(), {}, "no GPU has joined"};
  for (const v1::Node* node : ByName(data.cluster)) {
    for (const v1::Gpu& gpu : node->gpus())
      table.rows.push_back(RowOfGpu(*node, gpu, table.rows.size()));
  }
  return table;
}

std::vector<std::string> JobDetails(const v1::Job& job) {
  std::vector<std::string> lines = Split(DescribeJob(job), '\n');
  lines.push_back("more: gpu-platform jobs describe " + job.id());
  return lines;
}

WatchLevel LevelOf(const v1::Job& job) {
  if (job.detail() == "RUNNING") return WatchLevel::kBusy;
  return job.state() == v1::RUNNING ? WatchLevel::kGood : WatchLevel::kWarn;
}

std::vector<WatchColumn> ColumnsOfJobs() {
  return {{"JOB", 8, 14, 9, false, true},
          {"", 1, 1, 9},
          {"NAME", 12, 40, 8},
          {"USER", 6, 16, 7},
          {"STATE", 9, 13, 9},
          {"GPUS", 4, 12, 7, true},
          {"WHERE", 14, 60, 8},
          {"RUN", 6, 8, 8, true},
          {"TRY", 3, 3, 4, true},
          {"PROJECT", 8, 20, 3},
          {"NOTE", 8, 80, 4, false, false, true}};
}

WatchRow RowOfJob(const v1::Job& job) {
  const v1::JobSpec& spec = job.spec();
  return {job.id(),
          {Text(job.id()),
           Mark(job.faults() > 0),
           Text(spec.name()),
           Text(job.user()),
           Text(job.detail(), LevelOf(job)),
           {GpusText(spec), static_cast<double>(spec.gpus().count() * spec.nodes())},
           Text(PlacesText(job)),
           {job.has_started_at() ? SpanText(job.run_seconds()) : kDash, job.run_seconds()},
           Number(true, job.attempt()),
           Text(spec.project()),
           {Printable(job.reason(), 400)}},
          [&job] { return JobDetails(job); },
          {job.id()}};
}

WatchTable JobView(const WatchData& data) {
  WatchTable table{ColumnsOfJobs(), {}, "no job runs"};
  for (const v1::Job& job : data.jobs) {
    if (job.state() == v1::RUNNING) table.rows.push_back(RowOfJob(job));
  }
  return table;
}

std::vector<WatchColumn> PendingColumns() {
  return {{"JOB", 8, 14, 9, false, true},
          {"", 1, 1, 9},
          {"NAME", 12, 40, 8},
          {"USER", 6, 16, 7},
          {"STATE", 7, 10, 6},
          {"PRI", 3, 4, 4, true},
          {"GPUS", 4, 12, 8, true},
          {"WAIT", 6, 8, 8, true},
          {"WHY", 20, 400, 9}};
}

WatchRow RowOfPending(const v1::Job& job) {
  const v1::JobSpec& spec = job.spec();
  const std::string state = job.state() == v1::QUEUED ? "QUEUED" : job.detail();
  return {job.id(),
          {Text(job.id()),
           Mark(job.faults() > 0),
           Text(spec.name()),
           Text(job.user()),
           Text(state, LevelOf(job)),
           Number(true, spec.priority()),
           {GpusText(spec), static_cast<double>(spec.gpus().count() * spec.nodes())},
           {SpanText(job.wait_seconds()), job.wait_seconds()},
           Text(job.reason())},
          [&job] { return JobDetails(job); },
          {job.id()}};
}

WatchTable QueueView(const WatchData& data) {
  WatchTable table{PendingColumns(), {}, "nothing waits"};
  for (const v1::Job& job : data.jobs)
    if (job.state() != v1::RUNNING) table.rows.push_back(RowOfPending(job));
  return table;
}

std::vector<std::string> NodeDetails(const v1::Node& node) {
  std::vector<std::string> lines{
      fmt::format("{}  {}{}", node.name(), node.state(), node.simulated() ? ", simulated" : ""),
      "driver " + node.driver_version()};
  for (const v1::NumaNode& numa : node.numa_nodes()) {
    lines.push_back(fmt::format("NUMA {}  CPUs {}  granted {}", numa.id(), numa.cpus(),
                                numa.cpus_granted().empty() ? kDash : numa.cpus_granted()));
    lines.push_back(fmt::format("        memory {}  granted {}", BytesToText(numa.memory_bytes()),
                                BytesToText(numa.memory_granted_bytes())));
  }
  lines.push_back("more: gpu-platform topology --node " + node.name());
  return lines;
}

std::vector<WatchColumn> NodeColumns() {
  return {{"NODE", 8, 40, 9, false, true},
          {"", 1, 1, 9},
          {"STATE", 6, 14, 9},
          {"GPUS", 4, 5, 8, true},
          {"USED", 9, 30, 8, true},
          {"FREE", 4, 5, 8, true},
          {"CPUS", 5, 6, 5, true},
          {"MEMORY", 9, 10, 5, true},
          {"MODEL", 10, 24, 6},
          {"DRIVER", 8, 14, 3},
          {"NOTE", 10, 80, 4, false, false, true}};
}

bool IsUp(const v1::Node& node) { return node.state() == "UP" && !node.draining(); }

WatchCell NodeStateCell(const v1::Node& node) {
  const bool drains = node.draining() && node.state() == "UP";
  return Text(drains ? "DRAINING" : node.state(),
              IsUp(node) ? WatchLevel::kGood : WatchLevel::kBad);
}

WatchCell HeldCell(int held, int gpus) {
  WatchCell cell = Number(true, held);
  if (gpus > 0) cell.fill = static_cast<double>(held) / gpus;
  return cell;
}

// Why it is in its state, and whether it is simulated.
std::string NodeNote(const v1::Node& node) {
  const std::string note = Printable(node.reason(), 400);
  if (!node.simulated()) return note;
  return note.empty() ? "simulated" : note + "; simulated";
}

WatchRow RowOfNode(const v1::Node& node) {
  const v1::NodeTotals& totals = node.totals();
  return {node.name(),
          {Text(node.name()),
           Mark(!IsUp(node)),
           NodeStateCell(node),
           Number(true, totals.gpus()),
           HeldCell(totals.gpus_held(), totals.gpus()),
           Number(true, totals.gpus_free()),
           Number(true, totals.cpus()),
           {BytesToText(totals.memory_bytes()), static_cast<double>(totals.memory_bytes())},
           Text(ShortModel(totals.gpu_model())),
           Text(node.driver_version()),
           {NodeNote(node)}},
          [&node] { return NodeDetails(node); },
          {},
          node.name()};
}

WatchTable NodeView(const WatchData& data) {
  WatchTable table{
      NodeColumns(), {}, "no node has joined: gpu-platform agent, or serve --simulate dgx-h100"};
  for (const v1::Node* node : ByName(data.cluster)) table.rows.push_back(RowOfNode(*node));
  return table;
}

}  // namespace

WatchTable MakeView(WatchView view, const WatchData& data) {
  switch (view) {
    case WatchView::kGpus: return GpuView(data);
    case WatchView::kJobs: return JobView(data);
    case WatchView::kQueue: return QueueView(data);
    case WatchView::kNodes: return NodeView(data);
  }
  return {};
}

}  // namespace gp
