#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gp {

// The keys by which a node reports an image that it holds (ReportNode::images).
std::vector<uint64_t> KeysOfHeldImage(std::string_view name, std::string_view digest);

}  // namespace gp
