#include "experiments/topology/tally.h"

#include <numeric>

#include "base/percentile.h"

namespace gp {

void TopologyTally::Add(const RankQuality& quality) {
  sum_.gpus += quality.gpus;
  sum_.gpus_near_numa += quality.gpus_near_numa;
  sum_.gpus_near_socket += quality.gpus_near_socket;
  sum_.gpus_served_numa += quality.gpus_served_numa;
  sum_.gpus_served_socket += quality.gpus_served_socket;
  if (quality.gpus < 2) return;
  Pairs& pairs = by_gpus_[quality.gpus];
  ++pairs.ranks;
  pairs.mean_mb += quality.mean_pair_mb;
  pairs.worst_mb += static_cast<double>(quality.worst_pair_mb);
}

TopologyResult::Pairs TopologyTally::MeanOf(const Pairs& sum) {
  if (sum.ranks == 0) return {};
  const double ranks = static_cast<double>(sum.ranks) * 1e3;  // MB to GB
  return {sum.ranks, sum.mean_mb / ranks, sum.worst_mb / ranks};
}

TopologyResult TopologyTally::Result() const {
  TopologyResult result;
  Pairs all;
  for (const auto& [gpus, pairs] : by_gpus_) {
    result.by_gpus[gpus] = MeanOf(pairs);
    all.ranks += pairs.ranks;
    all.mean_mb += pairs.mean_mb;
    all.worst_mb += pairs.worst_mb;
  }
  result.pairs = MeanOf(all);
  const auto percent = [this](double gpus) { return sum_.gpus == 0 ? 0 : 100 * gpus / sum_.gpus; };
  result.near_numa_pct = percent(sum_.gpus_near_numa);
  result.near_socket_pct = percent(sum_.gpus_near_socket);
  result.served_numa_pct = percent(sum_.gpus_served_numa);
  result.served_socket_pct = percent(sum_.gpus_served_socket);
  result.jobs = static_cast<int64_t>(waits_s_.size());
  if (waits_s_.empty()) return result;
  result.mean_wait_s =
      static_cast<double>(std::accumulate(waits_s_.begin(), waits_s_.end(), int64_t{0})) /
      static_cast<double>(waits_s_.size());
  result.p95_wait_s = static_cast<double>(Percentile(waits_s_, 95));
  return result;
}

}  // namespace gp
