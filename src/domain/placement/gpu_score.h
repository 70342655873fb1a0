#pragma once

// Scores a set of GPUs of one node for a job, as integers compared in order; smaller is better.
// docs/reference/placement_score.md explains each of them with an example.

#include <array>
#include <compare>
#include <cstdint>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"
#include "domain/model/nodes/placement_weights.h"

namespace gp {

using GpuMask = uint64_t;  // bit i: GPU i of the node

enum class Locality { kSameNuma, kSameSocket, kCrossSocket };

// The number of aligned blocks of 64, 32, … 1 free GPUs in a set of free GPUs. GPUs are numbered by
// locality (socket, NUMA node, index); a block of size 2^s starts at a multiple of 2^s.
using BlockCounts = std::array<int8_t, 7>;

struct GpuScore {
  int64_t weighted = 0;      // by the weights of the pool; 0 without weights
  int first = 0;             // locality, or pairs without NVLink if the job prefers NVLink
  int second = 0;            // the other of the two
  int links_descending = 0;  // minus the NVLinks between chosen pairs
  // For a MIG instance: the placements that the GPU loses (MigTable::LossAt)
  int mig_lost = 0;
  int gpus_opened = 0;        // for shared GPUs: number of newly shared GPUs
  BlockCounts blocks_lost{};  // free aligned blocks broken, the largest first
  int share_left = 0;         // for shared GPUs: thousandths left over, the tightest fit first
  GpuMask gpus = 0;           // the lowest numbers, to break every tie

  auto operator<=>(const GpuScore&) const = default;
};

// Scores the sets of one node; computes once what all of them have in common. Immutable.
class GpuScorer {
 public:
  // `free`: free GPUs. REQUIRES: node has at most 64 GPUs.
  GpuScorer(const Node& node, const JobSpec& spec, GpuMask free, const PlacementWeights& weights);

  GpuScore Score(GpuMask gpus) const;
  Locality LocalityOf(GpuMask gpus) const;
  int UnlinkedPairs(GpuMask gpus) const;
  int Links(GpuMask gpus) const;
  // Whether the job's topology request allows this set.
  bool Allowed(GpuMask gpus) const;

 private:
  BlockCounts Blocks(GpuMask free) const;
  int MigLoss(int gpu) const;

  const Node& node_;
  const JobSpec& spec_;
  GpuMask free_;
  PlacementWeights weights_;
  std::array<uint8_t, kGpusMax> position_{};  // of GPU i in locality order
  BlockCounts blocks_before_{};
};

const char* Name(Locality locality);

}  // namespace gp
