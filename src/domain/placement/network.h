#pragma once

// Where nodes stand in the network: their label `network`, a path from the outermost part to the
// innermost, as in row2/rack7 (docs/reference/placement_score.md).

#include <string>
#include <string_view>

#include "domain/model/node.h"

namespace gp {

inline constexpr const char* kNetworkLabel = "network";

// Empty: it is not known.
std::string_view NetworkOf(const Node& node);
int CountLevels(std::string_view network);

// The first so many levels; all of them where there are fewer.
std::string_view Outer(std::string_view network, int levels);

// What both have in common from the outside.
std::string_view CommonPart(std::string_view a, std::string_view b);

}  // namespace gp
