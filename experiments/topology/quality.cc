#include "experiments/topology/quality.h"

#include <algorithm>
#include <map>

namespace gp {
namespace {

struct Place {
  int gpus = 0;
  int cores = 0;
};
using Places = std::map<int, Place>;  // by NUMA node, or by socket

int Near(const Places& places) {
  int gpus = 0;
  for (const auto& [number, place] : places) gpus += place.cores > 0 ? place.gpus : 0;
  return gpus;
}

double Served(const Places& places) {
  Place all;
  for (const auto& [number, place] : places) {
    all.gpus += place.gpus;
    all.cores += place.cores;
  }
  double served = 0;
  for (const auto& [number, place] : places) {
    served += std::min<double>(place.gpus, static_cast<double>(place.cores) * all.gpus / all.cores);
  }
  return served;
}

}  // namespace

RankQuality QualityOf(const NodeFacts& facts, const BandwidthTable& bandwidth,
                      const RankPlacement& rank) {
  RankQuality quality;
  quality.gpus = static_cast<int>(rank.gpus.size());
  int64_t sum = 0;
  int pairs = 0;
  for (size_t i = 0; i < rank.gpus.size(); ++i) {
    for (size_t j = i + 1; j < rank.gpus.size(); ++j) {
      const int64_t mb = bandwidth.MbPerSecond(rank.gpus[i].gpu, rank.gpus[j].gpu);
      quality.worst_pair_mb = pairs == 0 ? mb : std::min(quality.worst_pair_mb, mb);
      sum += mb;
      ++pairs;
    }
  }
  if (pairs > 0) quality.mean_pair_mb = static_cast<double>(sum) / pairs;
  Places by_numa;
  Places by_socket;
  const auto socket = [&facts](int numa) { return facts.numa[static_cast<size_t>(numa)].package; };
  for (const GpuGrant& grant : rank.gpus) {
    const int numa = facts.gpus[static_cast<size_t>(grant.gpu)].numa;
    ++by_numa[numa].gpus;
    ++by_socket[socket(numa)].gpus;
  }
  for (const NumaGrant& grant : rank.numa) {
    by_numa[grant.numa].cores += grant.cpus.Count();
    by_socket[socket(grant.numa)].cores += grant.cpus.Count();
  }
  quality.gpus_near_numa = Near(by_numa);
  quality.gpus_near_socket = Near(by_socket);
  quality.gpus_served_numa = Served(by_numa);
  quality.gpus_served_socket = Served(by_socket);
  return quality;
}

}  // namespace gp
