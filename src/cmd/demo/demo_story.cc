#include "cmd/demo/demo_story.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/cpu_set.h"
#include "base/text.h"
#include "cmd/text/cluster_text.h"
#include "cmd/text/job_text.h"
#include "infrastructure/table.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr const char* kBold = "1";
constexpr const char* kDim = "2";
constexpr const char* kGreen = "1;32";
constexpr const char* kRed = "1;31";
constexpr size_t kNameWidth = 14;

std::string Name(const DemoJob& job) { return fmt::format("{:<{}}", job.spec.name, kNameWidth); }

// "NUMA 0: GPU 0-3, NUMA 1: GPU 4-7".
std::string NumaText(const v1::Node& node) {
  std::map<int, CpuSet> gpus_by_numa;
  for (const v1::Gpu& gpu : node.gpus()) gpus_by_numa[gpu.numa_node()].Add(gpu.index());
  std::string text;
  for (const auto& [numa, gpus] : gpus_by_numa) {
    text += fmt::format("{}NUMA {}: GPU {}", text.empty() ? "" : ", ", numa, gpus.ToString());
  }
  return text;
}

// "nvidia1-7,16-23".
std::string DevicesText(const std::vector<std::string>& names) {
  CpuSet minors;
  for (const std::string& name : names) minors.Add(std::atoi(name.c_str() + 6));
  return names.empty() ? "none" : "nvidia" + minors.ToString();
}

}  // namespace

DemoStory::DemoStory() : styled_(OutputHasColors()) {}

std::string DemoStory::Styled(const char* style, const std::string& text) const {
  return styled_ ? fmt::format("\033[{}m{}\033[0m", style, text) : text;
}

void DemoStory::Title(const std::string& text) const {
  std::printf("%s\n", Styled(kBold, text).c_str());
}

void DemoStory::Section(const std::string& text) const {
  std::printf("\n%s\n", Styled(kBold, text).c_str());
  std::fflush(stdout);
}

void DemoStory::Line(const std::string& text) const {
  std::printf("  %s\n", text.c_str());
  std::fflush(stdout);
}

void DemoStory::Quote(const DemoJob& job, const std::string& line) const {
  Line(Styled(kDim, Name(job) + "  | " + Printable(line, 100)));
}

void DemoStory::Verdict(bool good, const std::string& text) const {
  std::printf("%s\n", Styled(good ? kGreen : kRed, text).c_str());
  std::fflush(stdout);
}

void DemoStory::Machine(const DemoDiscovery& discovery, int simulated_nodes) const {
  if (discovery.real)
    return Line(fmt::format("{} GPU{} of its own", discovery.gpus, discovery.gpus == 1 ? "" : "s"));
  if (!discovery.why_not.empty()) {
    Line("no GPU: " + discovery.why_not.substr(0, discovery.why_not.find(';')));
  }
  Line(fmt::format("{} nodes with {} GPUs each are simulated: only the GPUs are, the rest is real",
                   simulated_nodes, discovery.gpus));
}

void DemoStory::Nodes(const v1::Cluster& cluster) const {
  std::vector<const v1::Node*> nodes;
  for (const v1::Node& node : cluster.nodes()) nodes.push_back(&node);
  std::ranges::sort(nodes, {}, [](const v1::Node* node) { return node->name(); });
  for (const v1::Node* at : nodes) {
    const v1::Node& node = *at;
    const std::string model = node.gpus_size() > 0 ? ShortModel(node.gpus(0).model()) : kDash;
    Line(fmt::format("{}  {} × {}  {}", node.name(), node.gpus_size(), model, NumaText(node)));
  }
}

void DemoStory::Isolation(const IsolationReport& report) const {
  std::vector<std::string> given;
  if (report.devices) given.push_back("devices (" + report.device_mechanism + ")");
  if (report.memory) given.push_back("memory");
  if (report.processes) given.push_back("processes");
  if (report.cpus) given.push_back("CPUs");
  if (!given.empty()) Line("isolation of jobs: " + Join(given, ", "));
  for (const std::string& warning : report.warnings) {
    Line("no isolation: " + warning);
    if (given.empty()) return;  // the first says it all
  }
}

void DemoStory::Submitted(const DemoJob& job) const {
  const v1::JobSpec& spec = job.seen.spec();
  Line(fmt::format(
      "{}  {} {} GPU{}{}  acknowledged after {:.1f} ms", Name(job), job.id,
      spec.gpus().count() * spec.nodes(), spec.gpus().count() * spec.nodes() == 1 ? "" : "s",
      spec.nodes() > 1 ? fmt::format(" on {} nodes", spec.nodes()) : "", job.acknowledged_ms));
}

void DemoStory::Waits(const DemoJob& job) const { Line(Name(job) + "  " + job.wait_reason); }

void DemoStory::Starts(const DemoJob& job) const {
  Line(fmt::format("{}  runs on {}", Name(job), PlacesText(job.seen)));
  if (job.seen.attempts_size() == 0) return;
  const v1::Attempt& attempt = job.seen.attempts(job.seen.attempts_size() - 1);
  Line(fmt::format("{:{}}  why there: {}", "", kNameWidth, attempt.placement()));
}

void DemoStory::Ends(const DemoJob& job) const {
  Line(fmt::format("{}  {}, exit code {}, after {}", Name(job), job.seen.detail(),
                   job.seen.exit_code(), SpanText(job.seen.run_seconds())));
}

void DemoStory::Probed(const DemoJob& job, const v1::Cluster& cluster) const {
  const ProbedDevices devices = ReadProbe(job.output);
  if (devices.reached.empty() && devices.refused.empty())
    return Quote(job, job.output.substr(0, job.output.find('\n')));
  Quote(job, fmt::format("reached  {}   (granted: {})", DevicesText(devices.reached),
                         DevicesText(GrantedDevices(job, cluster))));
  Quote(job, devices.refused.empty()
                 ? "refused  none: the job has every GPU of its node"
                 : "refused  " + DevicesText(devices.refused) + ": Operation not permitted");
}

void DemoStory::Table(const std::vector<DemoJob>& jobs) const {
  gp::Table table({{"  JOB"},
                   {"STATE"},
                   {"EXIT", true},
                   {"GPUS", true},
                   {"WHERE"},
                   {"WAITED", true},
                   {"RAN", true}});
  for (const DemoJob& job : jobs) {
    table.Add({"  " + job.spec.name, v1::JobState_Name(job.seen.state()),
               std::to_string(job.seen.exit_code()),
               std::to_string(job.spec.resources.gpus.count * job.spec.resources.nodes),
               PlacesText(job.seen), SpanText(job.seen.wait_seconds()),
               SpanText(job.seen.run_seconds())});
  }
  std::fputs(table.ToText().c_str(), stdout);
}

}  // namespace gp
