#pragma once

// Changes of the service of nodes and GPUs (drain, offline, reset, online), for the commands and
// for `watch`.  Pure functions.

#include <string>
#include <vector>

#include "cmd/text/cluster_text.h"

namespace gp {

// A GPU has a node and an index, is a UUID or a PCI bus id; every other target is a node.
bool IsGpuName(const std::string& target);
void NameTarget(const std::string& target, v1::ChangeServiceRequest& request);
// The GPUs of the request, in the cluster's current state.
std::vector<FoundGpu> ServiceTargets(const v1::Cluster& cluster,
                                     const v1::ChangeServiceRequest& request);
// What has become of each GPU of the request, and which of their jobs are left.
std::vector<std::string> OutcomeLines(const v1::Cluster& cluster,
                                      const v1::ChangeServiceRequest& request);

}  // namespace gp
