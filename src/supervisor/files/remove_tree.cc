#include "supervisor/files/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gp {
namespace {

std::vector<std::string> Names(int directory_fd) {
  std::vector<std::string> names;
  DIR* directory = fdopendir(dup(directory_fd));
  if (directory == nullptr) return names;
  rewinddir(directory);
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  closedir(directory);
  return names;
}

// Empties the directory `name` of `parent`: deletes its files, moves its directories up to `top`,
// and then removes it.  This flattens a tree of any depth.
bool Flatten(int top, int parent, const std::string& name, uint64_t& moved) {
  const int fd = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  for (const std::string& inner : Names(fd)) {
    if (unlinkat(fd, inner.c_str(), 0) == 0) continue;
    // Our names may be in use: try until one is free.
    while (renameat2(fd, inner.c_str(), top, ("gp-" + std::to_string(moved++)).c_str(),
                     RENAME_NOREPLACE) != 0) {
      const int why = errno;
      // In an overlay's lower layer it cannot be moved, and is emptied in place.
      if (why == EXDEV) Flatten(top, fd, inner, moved);
      if (why != EEXIST) break;
    }
  }
  close(fd);
  return unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

void RemoveTree(int directory_fd, const char* name) {
  if (unlinkat(directory_fd, name, AT_REMOVEDIR) == 0) return;
  const int top = openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (top < 0) return;
  uint64_t moved = 0;
  bool progress = true;
  while (progress) {
    progress = false;
    for (const std::string& entry : Names(top)) {
      progress |= unlinkat(top, entry.c_str(), 0) == 0 || Flatten(top, top, entry, moved);
    }
  }
  close(top);
  unlinkat(directory_fd, name, AT_REMOVEDIR);
}

}  // namespace gp
