#pragma once

// The warning at the end of a placement's note.

#include <string>
#include <string_view>

namespace gp {

// "crosses sockets" -> "; warning: crosses sockets"
std::string WarningText(std::string_view warning);
// The warning in a whole note; empty: none.
std::string_view WarningIn(std::string_view note);

}  // namespace gp
