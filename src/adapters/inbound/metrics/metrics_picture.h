#pragma once

// What metrics are made of, taken from the state in one look, so that the writer waits for no text.

#include <prometheus/metric_family.h>

#include <memory>
#include <string>
#include <vector>

#include "domain/model/node.h"

namespace gp {

struct GpuPicture {
  int share_granted = 0;  // thousandths
  int64_t memory_granted_mib = 0;
  // The driver's number of the last error that was reported; 0: none since the controller began
  int last_xid = 0;
  std::string verdict;  // its level and code, as whatever shows health shows them
  std::string code;
};

struct NodePicture {
  NodeId id;
  std::shared_ptr<const NodeFacts> facts;
  std::string pool;
  std::vector<GpuPicture> gpus;  // as facts->gpus
};

struct MetricsPicture {
  std::vector<prometheus::MetricFamily> families;  // of the controller and of all that is few
  std::vector<NodePicture> nodes;                  // those that are up
};

}  // namespace gp
