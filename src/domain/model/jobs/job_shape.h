#pragma once

// What decides where a job fits. Two jobs of one shape fit in the same places: if one cannot start
// now, the other cannot either.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "domain/model/jobs/job.h"

namespace gp {

struct JobShape {
  int nodes = 1;
  GpuRequest gpus;
  int cpus = 0;
  int64_t memory_bytes = 0;
  TopologyRequest topology;
  std::string pool;
  std::map<std::string, std::string> node_labels;
  std::string reservation;
  std::set<std::string> features;
  std::string user;  // only for jobs that share GPUs: they share within one user
  int nodes_min = 0;
  std::vector<Alternative> any_of;
  auto operator<=>(const JobShape&) const = default;
};

JobShape ShapeOf(const Job& job);

}  // namespace gp
