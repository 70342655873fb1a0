#pragma once

#include <string>

#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"

namespace gp {

// A short reason why a node cannot take a rank of the job now, the same for all nodes of its class;
// reasons that waiting does not remove come first.  Empty: ChooseGpus finds a place.
std::string WhyNotHere(const Node& node, const Job& job);

}  // namespace gp
