#pragma once

#include <string>

#include "domain/model/job.h"
#include "domain/model/node.h"

namespace gp {

// Why a node cannot take a rank of the job as it is now, in a few words that hold for all nodes of
// its class: what no waiting mends comes first.  Empty: ChooseGpus finds a place.
std::string WhyNotHere(const Node& node, const Job& job);

}  // namespace gp
