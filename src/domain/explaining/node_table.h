#pragma once

// What each node could do for a job now, and in a few words why it cannot take a rank.  Nodes that
// are alike in that stand in one row.

#include <cstddef>
#include <string>
#include <vector>

#include "domain/cluster/state.h"

namespace gp {

struct NodeRow {
  std::vector<NodeId> nodes;  // in order
  int gpus_free = 0;          // of each: in service, and held by nobody
  int gpus = 0;               // of each
  // The most GPUs of each that the job could have together, up to what it asks for
  int fits = 0;
  bool takes_rank = false;     // the next pass could place a rank on each
  std::string why;             // it does not
  std::vector<JobId> holders;  // who has leases there, in order
};

// First those that could take a rank, then by what the job could have there.
std::vector<NodeRow> NodeTable(const State& state, Instant at, const Job& job);

}  // namespace gp
