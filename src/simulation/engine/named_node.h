#pragma once

#include <memory>
#include <string>

#include "domain/model/nodes/node.h"

namespace gp {

// Facts of a node like `machine`, under another name; the names of its GPUs are derived from it.
std::shared_ptr<const NodeFacts> NamedNode(const NodeFacts& machine, const std::string& name);

}  // namespace gp
