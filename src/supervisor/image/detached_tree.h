#pragma once

// A mount that is not attached anywhere yet, or is attached by its descriptor alone: no path that
// somebody else can change is resolved.

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
    std::string value;  // empty: the option has none
  };

  // What is at this descriptor, without mounts below it; `attributes`: MOUNT_ATTR_… to add.
  static Result<DetachedTree> Clone(int fd, uint64_t attributes);
  static Result<DetachedTree> CloneWithMountsBelow(int fd, uint64_t attributes);
  // A new file system.  `scratch`: a directory where it may be attached meanwhile, which options of
  // more than 255 bytes need; empty: there are none.
  static Result<DetachedTree> Make(const char* type, std::span<const Option> options,
                                   uint64_t attributes, const std::string& scratch = "");

  // Its root directory, before and after it is attached.
  int fd() const { return mount_.get(); }
  // Attaches it over this file or directory.
  Status AttachAt(const Descriptor& target) const;
  // Nothing in it can be changed from now on.
  Status Seal() const;

 private:
  static Result<DetachedTree> CloneWith(int fd, uint64_t attributes, unsigned how);
  static Result<DetachedTree> MakeAt(const std::string& scratch, const char* type,
                                     std::span<const Option> options, uint64_t attributes);

  Descriptor mount_;
};

}  // namespace gp
