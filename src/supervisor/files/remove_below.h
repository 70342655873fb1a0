#pragma once

#include <string>
#include <vector>

namespace gp {

// Removes the file or directory tree at each of these paths, if the path is below `directory` and
// leads through no link.  All of them are renamed before the first one is emptied, so files that
// are written to these paths in the meantime stay.  Best effort; missing paths are ignored.
void RemoveBelow(const std::string& directory, const std::vector<std::string>& paths);

}  // namespace gp
