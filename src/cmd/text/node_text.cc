#include "cmd/text/node_text.h"

#include <fmt/format.h>

#include <map>

#include "base/cpu_set.h"
#include "base/text.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/job_text.h"
#include "cmd/text/state_color.h"

namespace gp {
namespace {

void AddLine(std::string& out, const char* label, const std::string& text) {
  if (!text.empty()) out += fmt::format("{:<12}{}\n", label, Printable(text, 1'000));
}

std::string EmptyText(const v1::NodeDrain& drain) {
  if (drain.jobs() == 0) return "now: nothing runs there";
  if (drain.has_empty_by())
    return drain.empty_by() + " at the latest: " + Count(drain.jobs(), "job") + " there";
  const std::vector<std::string> endless(drain.endless().begin(), drain.endless().end());
  return "not known: " + Join(endless, ", ") + (endless.size() == 1 ? " has" : " have") +
         " no time limit (drain --deadline sets an end)";
}

std::string NumaText(const v1::NumaNode& numa) {
  const int cpus = CpuSet::Parse(numa.cpus()).value_or(CpuSet{}).Count();
  const int granted = CpuSet::Parse(numa.cpus_granted()).value_or(CpuSet{}).Count();
  return fmt::format("{} on socket {}: cpus {}, {} of {} granted; {} of {} of memory granted",
                     numa.id(), numa.package(), numa.cpus(), granted, cpus,
                     BytesToText(numa.memory_granted_bytes()), BytesToText(numa.memory_bytes()));
}

std::string IndexesText(const v1::NodeLease& lease) {
  CpuSet gpus;
  for (const int gpu : lease.gpus()) gpus.Add(gpu);
  return gpus.Empty() ? kDash : gpus.ToString();
}

std::string MarkText(const v1::Gpu& gpu) {
  const std::string incident = gpu.verdict().incident();
  const std::string note = NoteText(gpu);
  return note + (incident.empty() ? "" : (note.empty() ? "" : "; ") + incident);
}

}  // namespace

std::string DescribeNode(const v1::Node& node) {
  std::string out = fmt::format("{}  {}\n", Printable(node.name(), 253),
                                node.draining() ? "DRAINING " + node.state() : node.state());
  AddLine(out, "Reason", node.reason());
  if (node.has_drain()) {
    if (!node.drain().since().empty()) AddLine(out, "Drained", "since " + node.drain().since());
    if (node.drain().has_deadline())
      AddLine(
          out, "Deadline",
          node.drain().deadline() +
              ": jobs still running there are stopped then, with their grace, and queued again");
    AddLine(out, "Empty", EmptyText(node.drain()));
  }
  AddLine(out, "Pool", node.pool());
  std::string labels;
  for (const auto& [name, value] :
       std::map<std::string, std::string>(node.labels().begin(), node.labels().end())) {
    labels += (labels.empty() ? "" : ", ") + name + "=" + value;
  }
  AddLine(out, "Labels", labels);
  AddLine(out, "Driver", node.driver_version() + (node.simulated() ? " (simulated)" : ""));
  AddLine(out, "Features", fmt::format("{}", fmt::join(node.features(), ", ")));
  AddLine(out, "Last report", SpanText(node.seconds_since_report()) + " ago");
  const char* label = "NUMA";
  for (const v1::NumaNode& numa : node.numa_nodes()) {
    AddLine(out, label, NumaText(numa));
    label = "";
  }
  return out;
}

Table MarksTable(const v1::Node& node) {
  Table table({{.title = "GPU"},
               {.title = "STATE", .color = StateColor},
               {.title = "MODEL", .drop = 2},
               {.title = "NUMA", .right = true},
               {.title = "JOB", .cut = true},
               {.title = "UUID", .drop = 1},
               {.title = "MARKS", .cut = true}});
  for (const v1::Gpu& gpu : node.gpus()) {
    table.Add({std::to_string(gpu.index()), StateText(gpu), ShortModel(gpu.model()),
               std::to_string(gpu.numa_node()), HoldersText(gpu), gpu.uuid(), MarkText(gpu)});
  }
  return table;
}

Table LeaseTable(const v1::Node& node) {
  Table table({{.title = "JOB"},
               {.title = "RANK", .right = true},
               {.title = "NAME", .cut = true},
               {.title = "USER"},
               {.title = "GPUS"},
               {.title = "CPUS", .drop = 1},
               {.title = "MEMORY"},
               {.title = "ENDS BY"}});
  for (const v1::NodeLease& lease : node.leases()) {
    table.Add({lease.job_id(), std::to_string(lease.rank()), lease.job_name(), lease.user(),
               IndexesText(lease), lease.cpus().empty() ? kDash : lease.cpus(),
               BytesToText(lease.memory_bytes()), lease.has_ends_by() ? lease.ends_by() : kDash});
  }
  return table;
}

}  // namespace gp
