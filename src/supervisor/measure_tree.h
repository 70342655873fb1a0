#pragma once

#include <string>

namespace gp {

// How many bytes the files at `path` and below it have; links are not followed.  For a child
// process, as it may wait for a file server: writes "= BYTES" to the descriptor, or what could not
// be read.  The child's exit code.
int MeasureTree(const std::string& path, int output);

}  // namespace gp
