#pragma once

// Reads the YAML of LoadMachine.  Unknown keys are errors: a typing mistake must not silently
// become a default.

#include <string>

#include "base/result.h"
#include "fakes/nvml/machine.h"

namespace gp {

Result<Machine> ReadMachineYaml(const std::string& path);

}  // namespace gp
