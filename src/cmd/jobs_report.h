#pragma once

#include <string>

#include "cmd/cli.h"

namespace gp {

// What a job did with what it was granted.
void ReportJob(const std::string& id, Cli& cli);

}  // namespace gp
