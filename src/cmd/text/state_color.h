#pragma once

#include <string_view>

namespace gp {

// The colour of a state of a job, node, GPU or incident as an SGR parameter: green for running and
// healthy, yellow for waiting and draining, red for failed and lost; "": none.
std::string_view StateColor(std::string_view state);

}  // namespace gp
