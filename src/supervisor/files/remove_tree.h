#pragma once

namespace gp {

// Removes `name` below `directory_fd` with all its contents.  Follows no links; its use of stack
// and descriptors does not grow with the depth of the tree.  Best effort.
void RemoveTree(int directory_fd, const char* name);

}  // namespace gp
