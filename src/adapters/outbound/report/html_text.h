#pragma once

#include <string>
#include <string_view>

namespace gp {

// Escapes text for HTML: the result contains no markup and no control characters.
std::string Escape(std::string_view text);

}  // namespace gp
