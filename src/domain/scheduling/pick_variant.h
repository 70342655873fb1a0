#pragma once

// Which of a job's ways to be given what it needs is open now.

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "domain/model/job.h"
#include "domain/model/job_shape.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/rankings.h"

namespace gp {

struct VariantPick {
  int variant = 0;
  Job job;  // as it would be placed
  ShapeRanking::Pick pick;
};

// The first in the job's order that fits and that no limit stops; of those with fewer nodes too,
// the most nodes.  `is_stopped`: whether a limit stops the job as it would be placed; who needs
// less is not stopped where one who needs more is not.
std::optional<VariantPick> PickVariant(const Job& job, const NodeClasses& classes,
                                       Rankings& rankings, const std::set<NodeId>& closed,
                                       const std::function<bool(const Job&)>& is_stopped);

}  // namespace gp
