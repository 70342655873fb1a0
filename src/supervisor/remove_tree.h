#pragma once

namespace gp {

// Removes `name` below `directory_fd` with all it holds.  Follows no links and needs neither stack
// nor descriptors in proportion to the depth, however the job has built the tree.  Best effort.
void RemoveTree(int directory_fd, const char* name);

}  // namespace gp
