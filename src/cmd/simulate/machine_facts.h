#pragma once

// A shipped machine, or one of a file, as a node would report it.

#include <string>

#include "adapters/outbound/machine_file/machine_file.h"
#include "base/result.h"
#include "domain/model/nodes/node.h"

namespace gp {

struct NamedMachine {
  MachineFile file;
  NodeFacts facts;  // valid
};
Result<NamedMachine> ReadMachine(const std::string& name);

}  // namespace gp
