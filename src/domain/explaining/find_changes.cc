#include "domain/explaining/find_changes.h"

#include "domain/explaining/change_steps.h"

namespace gp {

std::vector<Change> FindChanges(WhatIf& what_if, const Job& job) {
  ChangeSearch search(what_if, job);
  TryFewerGpus(search);
  TryFewerNodes(search);
  TryTopology(search);
  TryModels(search);
  TryGpuMemory(search);
  TryHost(search);
  TryNodeLabels(search);
  TryQueues(search);
  TryTimeLimit(search);
  TryPreemptible(search);
  TryPriority(search);
  TryMoves(search);
  TryWait(search);
  return search.Take();
}

}  // namespace gp
