#pragma once

#include "cmd/cli.h"

namespace gp {

// `jobs extend`.
void AddExtend(CLI::App& jobs, Cli& cli);

}  // namespace gp
