#pragma once

// What the note of a placement warns of; it stands at the end of the note.

#include <string>
#include <string_view>

namespace gp {

// "crosses sockets" -> "; warning: crosses sockets"
std::string WarningText(std::string_view warning);
// And back, of a whole note; empty: it warns of nothing.
std::string_view WarningIn(std::string_view note);

}  // namespace gp
