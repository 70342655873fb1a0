#pragma once

// Which variant of a job can start now.

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "domain/model/jobs/job.h"
#include "domain/model/jobs/job_shape.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/rankings.h"

namespace gp {

struct VariantPick {
  int variant = 0;
  Job job;  // as it would be placed
  ShapeRanking::Pick pick;
};

// The first variant in the job's order that fits and that no limit stops; if it may run on fewer
// nodes, on the most nodes possible. `preferred`: nodes that come first of those that rank equally.
// `is_stopped`: whether a limit stops the job as it would be placed. It must be monotonic: if it
// does not stop a job, it does not stop one that needs less.
std::optional<VariantPick> PickVariant(const Job& job, const NodeClasses& classes,
                                       Rankings& rankings, const std::set<NodeId>& closed,
                                       const NodeBits& preferred,
                                       const std::function<bool(const Job&)>& is_stopped);

}  // namespace gp
