#pragma once

// What each node can offer a job now, and a short reason why it cannot take a rank.  Nodes with the
// same values share one row.

#include <cstddef>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

struct NodeRow {
  std::vector<NodeId> nodes;  // in order
  int gpus_free = 0;          // on each: in service and not held
  int gpus = 0;               // on each
  // The most GPUs of each node that the job could have together, up to its request.
  int fits = 0;
  bool takes_rank = false;     // the next pass could place a rank on each
  std::string why;             // reason why it does not; empty: it does
  std::vector<JobId> holders;  // jobs with leases there, in order
};

// Nodes that can take a rank come first; then by the number of GPUs that the job could have there.
std::vector<NodeRow> NodeTable(const State& state, Instant at, const Job& job);

}  // namespace gp
