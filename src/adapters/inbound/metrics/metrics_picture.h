#pragma once

// The values of all metrics, copied from the state at once: the writer does not wait for the text.

#include <memory>
#include <string>
#include <vector>

#include "adapters/inbound/metrics/families.h"
#include "domain/model/nodes/node.h"

namespace gp {

struct GpuPicture {
  int share_granted = 0;  // thousandths
  int64_t memory_granted_mib = 0;
  // XID of the last reported error; 0: none since the controller started
  int last_xid = 0;
  std::string verdict;  // the health level and its code, as in all health views
  std::string code;
};

struct NodePicture {
  NodeId id;
  std::shared_ptr<const NodeFacts> facts;
  std::string pool;
  std::vector<GpuPicture> gpus;  // in the order of facts->gpus
};

struct MetricsPicture {
  std::vector<MetricFamily> families;  // all except those of single GPUs
  std::vector<NodePicture> nodes;      // those that are up
};

}  // namespace gp
