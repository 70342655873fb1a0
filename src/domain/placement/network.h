#pragma once

// The position of nodes in the network: their label `network`, a path from the outermost part to
// the innermost, like row2/rack7 (docs/reference/placement_score.md).

#include <string>
#include <string_view>

#include "domain/model/nodes/node.h"

namespace gp {

inline constexpr const char* kNetworkLabel = "network";

// Empty: unknown.
std::string_view NetworkOf(const Node& node);
int CountLevels(std::string_view network);

// The first `levels` levels, or all if there are fewer.
std::string_view Outer(std::string_view network, int levels);

// The common part of both paths, from the outside.
std::string_view CommonPart(std::string_view a, std::string_view b);

}  // namespace gp
