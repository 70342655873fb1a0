#include "cmd/demo/demo_jobs.h"

#include <algorithm>
#include <set>

#include "adapters/inbound/job_file/job_file.h"
#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

constexpr int kGangMax = 4;
constexpr int kOtherGpus = 2;  // for the training and the probe, beside the gang

struct Sizes {
  int nodes = 1;  // of the whole gang
  int gpus_per_node = 1;
  int gang = 1;
  bool nvlink = false;
};

Sizes SizesFor(const v1::Cluster& cluster) {
  Sizes sizes;
  sizes.nodes = std::min(2, cluster.nodes_size());
  sizes.gpus_per_node = cluster.nodes(0).gpus_size();
  sizes.nvlink = true;
  for (const v1::Node& node : cluster.nodes()) {
    sizes.gpus_per_node = std::min(sizes.gpus_per_node, node.gpus_size());
    sizes.nvlink = sizes.nvlink && node.links_size() > 0;
  }
  sizes.gang = std::clamp(sizes.gpus_per_node - kOtherGpus, 1, kGangMax);
  return sizes;
}

Result<DemoJob> Load(DemoRole role, const std::string& file, const DemoPlaces& places,
                     Overrides overrides, Overrides environment = {}) {
  const std::string path = places.examples + "/" + file;
  const std::string text = GP_TRY(ReadTextFile(path));
  overrides.emplace_back("workdir", places.examples);
  overrides.emplace_back("on_lease_loss", "stop");  // should the demo be killed, its jobs end
  overrides.emplace_back("checkpoint.grace", "2s");
  overrides.emplace_back("priority", "medium");  // the queue's order is the order of submit
  JobFileOptions options;
  options.overrides = std::move(overrides);
  options.environment = std::move(environment);
  DecodedJobs decoded = DecodeJobFile(file, text, options);
  if (decoded.jobs.size() != 1) {
    return Fail(InvalidArgument(path + ": not one job\n" + RenderDiagnostics(decoded.diagnostics)));
  }
  DemoJob job;
  job.role = role;
  job.spec = std::move(decoded.jobs.front());
  return job;
}

}  // namespace

Result<std::vector<DemoJob>> LoadDemoJobs(const DemoPlaces& places, const v1::Cluster& cluster) {
  const Sizes sizes = SizesFor(cluster);
  Overrides gang{{"resources.gpus", std::to_string(sizes.gang)}};
  if (!sizes.nvlink) gang.emplace_back("topology.require", "none");
  const Overrides whole{{"nodes", std::to_string(sizes.nodes)},
                        {"resources.gpus", std::to_string(sizes.gpus_per_node)}};
  std::vector<DemoJob> jobs;
  jobs.push_back(GP_TRY(Load(DemoRole::kTraining, "single-gpu.gpu.yaml", places,
                             {{"checkpoint.dir", places.checkpoints}})));
  jobs.push_back(GP_TRY(Load(DemoRole::kNodeGang, "gang-4.gpu.yaml", places, gang)));
  jobs.push_back(GP_TRY(Load(DemoRole::kProbe, "device-probe.gpu.yaml", places, {},
                             {{"PROBE_DIRECTORIES", Join(places.device_directories, ":")}})));
  jobs.push_back(GP_TRY(Load(DemoRole::kWholeGang, "two-node-gang.gpu.yaml", places, whole)));
  return jobs;
}

ProbedDevices ReadProbe(const std::string& output) {
  ProbedDevices devices;
  for (const std::string& line : Split(output, '\n')) {
    const size_t space = line.find(' ');
    if (!line.starts_with("nvidia") || space == std::string::npos) continue;
    const std::string outcome = line.substr(space + 1);
    if (outcome == "reached") devices.reached.push_back(line.substr(0, space));
    if (outcome == "refused") devices.refused.push_back(line.substr(0, space));
  }
  return devices;
}

std::vector<std::string> GrantedDevices(const DemoJob& job, const v1::Cluster& cluster) {
  std::set<std::string> uuids;
  for (const v1::Attempt& attempt : job.seen.attempts()) {
    for (const v1::Rank& rank : attempt.ranks()) {
      uuids.insert(rank.gpu_uuids().begin(), rank.gpu_uuids().end());
    }
  }
  std::vector<std::string> devices;
  for (const v1::Node& node : cluster.nodes()) {
    for (const v1::Gpu& gpu : node.gpus()) {
      if (uuids.contains(gpu.uuid())) devices.push_back("nvidia" + std::to_string(gpu.minor()));
    }
  }
  return devices;
}

}  // namespace gp
