#pragma once

// The YAML side of LoadMachine.  Keys that the format does not know are errors: a typing slip must
// not silently become a default.

#include <string>

#include "base/result.h"
#include "fakes/nvml/machine.h"

namespace gp {

Result<Machine> ReadMachineYaml(const std::string& path);

}  // namespace gp
