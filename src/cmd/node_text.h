#pragma once

// One node as people read it.

#include <string>

#include "gpu_platform/v1/control.pb.h"
#include "infrastructure/table.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Its state, why and since when it drains, when it is empty, and what it is made of.
std::string DescribeNode(const v1::Node& node);
// Its GPUs, each with what is the matter with it.
Table MarksTable(const v1::Node& node);
// What jobs hold of it.
Table LeaseTable(const v1::Node& node);

}  // namespace gp
