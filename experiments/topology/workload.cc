#include "experiments/topology/workload.h"

#include <algorithm>

#include "base/rng.h"

namespace gp {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kShortest = 120;  // seconds

struct Machine {
  int gpus = 0;
  int cpus = 0;
};

// Of 100 jobs, 40 request one GPU, 25 two, 15 four, 10 eight, and 10 are gangs of two nodes that
// request half of each node or all of it.  Requests that exceed a smaller machine are reduced to
// what it has.
void DrawGpus(const Machine& machine, Rng& rng, JobSpec& spec) {
  const uint64_t lot = rng.Below(100);
  if (lot >= 90) {
    spec.resources.nodes = 2;
    spec.resources.gpus.count = rng.Chance(1, 2) ? machine.gpus : std::max(1, machine.gpus / 2);
    return;
  }
  const int wanted = lot < 40 ? 1 : lot < 65 ? 2 : lot < 80 ? 4 : 8;
  spec.resources.gpus.count = std::min(wanted, machine.gpus);
}

// Most jobs request the cores that belong to their GPUs; of ten, three request half as many and one
// requests twice as many.
void DrawCpus(const Machine& machine, Rng& rng, JobSpec& spec) {
  const int fair = machine.cpus * spec.resources.gpus.count / machine.gpus;
  const uint64_t lot = rng.Below(10);
  const int wanted = lot < 6 ? fair : lot < 9 ? fair / 2 : fair * 2;
  spec.resources.cpus = std::clamp(wanted, 1, machine.cpus);
}

// Two minutes to two hours; each doubling is equally likely.
int64_t DrawDuration(Rng& rng) {
  const int64_t low = kShortest << rng.Below(6);
  return low + static_cast<int64_t>(rng.Below(static_cast<uint64_t>(low)));
}

}  // namespace

TopologyWorkload InventJobs(const NodeFacts& facts, const TopologyDemand& demand) {
  Machine machine{static_cast<int>(facts.gpus.size()), 0};
  for (const NumaFacts& numa : facts.numa) machine.cpus += numa.cpus.Count();
  Rng rng(demand.seed);
  TopologyWorkload workload;
  int64_t gpu_seconds = 0;
  for (int i = 0; i < demand.jobs; ++i) {
    JobSpec spec;
    // Host memory is left out: other schedulers do not account for it by NUMA node, so the
    // comparison would not be fair.
    spec.resources.memory_bytes = kMiB;
    DrawGpus(machine, rng, spec);
    DrawCpus(machine, rng, spec);
    TopologyJob job{0, DrawDuration(rng), std::make_shared<const JobSpec>(std::move(spec))};
    gpu_seconds += job.duration_s * job.gpus();
    workload.jobs.push_back(std::move(job));
  }
  workload.span_s =
      std::max<int64_t>(1, gpu_seconds * 100 / demand.load_percent / machine.gpus / demand.nodes);
  // Uniform random points in an interval form a Poisson process, and need no logarithm.
  std::vector<int64_t> arrivals;
  for (int i = 0; i < demand.jobs; ++i)
    arrivals.push_back(static_cast<int64_t>(rng.Below(static_cast<uint64_t>(workload.span_s))));
  std::ranges::sort(arrivals);
  for (size_t i = 0; i < arrivals.size(); ++i) workload.jobs[i].submit_s = arrivals[i];
  return workload;
}

}  // namespace gp
