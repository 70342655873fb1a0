#pragma once

#include <string>

namespace gp {

// Removes what is at `path`, a file or a directory with all in it, if its words lead below `directory` and no link is met
// on the way there.  Best effort; what is not there is fine.
void RemoveBelow(const std::string& directory, const std::string& path);

}  // namespace gp
