#pragma once

// A second opinion on which GPUs a rank gets: docs/reference/placement_score.md put into code with
// plain lists and no cleverness, and without looking at src/domain/placement.

#include <optional>
#include <string>
#include <vector>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/node.h"
#include "domain/model/nodes/placement_weights.h"

namespace gp {

// The best set of GPUs, in order of index; nullopt: no set may be taken.
std::optional<std::vector<int>> BestSetByTheBook(const Node& node, const JobSpec& spec,
                                                 const std::string& user,
                                                 const PlacementWeights& weights);

}  // namespace gp
