#pragma once

// What an operator sees of an incident besides its own words.

#include <string>
#include <vector>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The meaning of its XID; empty: its cause is no known XID.
std::string MeaningText(const v1::Incident& incident);

// The name of its page under docs/runbooks, without its ending.
std::string RunbookOf(const v1::Incident& incident);
// What that page says, in a line, and where it is.
std::string RunbookText(const v1::Incident& incident);

// Next steps to type, in order; empty: the incident is over.
std::vector<std::string> NextSteps(const v1::Incident& incident);

}  // namespace gp
