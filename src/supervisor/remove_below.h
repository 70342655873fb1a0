#pragma once

#include <string>
#include <vector>

namespace gp {

// Removes what is at each of these paths, a file or a directory with all in it, if its words lead
// below `directory` and no link is met on the way there.  All of them are gone by their names
// before the first is emptied: what is written there meanwhile stays.  Best effort; what is not
// there is fine.
void RemoveBelow(const std::string& directory, const std::vector<std::string>& paths);

}  // namespace gp
