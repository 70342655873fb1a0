#pragma once

// The lowest line of `watch`: its keys, and which of the rows are seen.

#include <string>

namespace gp {

// The keys whose names fit into the columns; keys that the help of `?` lists are left out first.
std::string KeysText(int width);

// `keys` on the left and `place` on the right, two blanks apart at least: where both do not fit,
// the keys are cut.
std::string FootText(const std::string& keys, const std::string& place, int width);

}  // namespace gp
