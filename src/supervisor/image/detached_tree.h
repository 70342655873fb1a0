#pragma once

// Mounts that are not attached anywhere yet: copies of the host's, made while the host's root is
// still there, and new ones.  They are attached inside the job's root directory.

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

class DetachedTree {
 public:
  struct Option {
    const char* name;
    std::string value;
  };

  // What is at this descriptor, and all mounts below it if `is_recursive`.  `attributes`:
  // MOUNT_ATTR_… to add.
  static Result<DetachedTree> Clone(int fd, uint64_t attributes, bool is_recursive);
  // A new file system.
  static Result<DetachedTree> Make(const char* type, std::span<const Option> options,
                                   uint64_t attributes);

  // Attaches it over this file or directory; it stays attached.
  Status AttachAt(const std::string& path) const;

 private:
  Descriptor mount_;
};

}  // namespace gp
