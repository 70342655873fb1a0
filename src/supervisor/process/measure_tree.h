#pragma once

#include <string>

namespace gp {

// Sums up the bytes of the files at `path` and below it; does not follow links.  It runs in a child
// process, because a file server may block it.  Writes "= BYTES" to the descriptor, or what could
// not be read.  Returns the child's exit code.
int MeasureTree(const std::string& path, int output);

}  // namespace gp
