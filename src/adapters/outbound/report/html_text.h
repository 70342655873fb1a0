#pragma once

#include <string>
#include <string_view>

namespace gp {

// Any text as text of a page: nothing in it is markup, and control characters are gone.
std::string Escape(std::string_view text);

}  // namespace gp
