#pragma once

// One node as text for people.

#include <string>

#include "gpu_platform/v1/control.pb.h"
#include "infrastructure/table.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Its state, why and since when it drains, when it will be empty, and its hardware.
std::string DescribeNode(const v1::Node& node);
// Its GPUs, each with its problems.
Table MarksTable(const v1::Node& node);
// Its resources that jobs hold.
Table LeaseTable(const v1::Node& node);

}  // namespace gp
