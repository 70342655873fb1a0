#pragma once

// What an operator is told of an incident besides its own words.

#include <string>
#include <vector>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// What its XID means; empty: its cause is none that is known.
std::string MeaningText(const v1::Incident& incident);

// The page under docs/runbooks that is about it, without its ending.
std::string RunbookOf(const v1::Incident& incident);
// What that page says, in a line, and where it is.
std::string RunbookText(const v1::Incident& incident);

// What to type next, in order; empty: it is over.
std::vector<std::string> NextSteps(const v1::Incident& incident);

}  // namespace gp
