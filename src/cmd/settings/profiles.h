#pragma once

// Profiles: sets of values for a kind of site, below everything that the site itself says.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// The values of a profile, as a settings file of the program; "": it has none.
std::string_view ProfileText(std::string_view program, std::string_view profile);

// What is wrong with the name of a profile; nullopt: nothing.
std::optional<std::string> ProfileFault(const std::string& name);

}  // namespace gp
