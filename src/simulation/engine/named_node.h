#pragma once

#include <memory>
#include <string>

#include "domain/model/node.h"

namespace gp {

// A node like that machine, under a name of its own; its GPUs' names follow from it.
std::shared_ptr<const NodeFacts> NamedNode(const NodeFacts& machine, const std::string& name);

}  // namespace gp
