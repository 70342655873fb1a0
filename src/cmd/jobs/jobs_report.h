#pragma once

#include <string>

#include "cmd/cli.h"

namespace gp {

// Shows how a job used the resources that it was granted.
void ReportJob(const std::string& id, Cli& cli);

}  // namespace gp
