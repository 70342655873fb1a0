#include "supervisor/image/detached_tree.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

// What the file system itself says of its last failure, which errno does not.
std::string Reason(int context) {
  char text[256];
  const ssize_t count = read(context, text, sizeof text);
  return count > 2 ? " (" + std::string(text + 2, static_cast<size_t>(count) - 2) + ")" : "";
}

}  // namespace

Result<DetachedTree> DetachedTree::Clone(int fd, uint64_t attributes, bool is_recursive) {
  const unsigned recursive = is_recursive ? AT_RECURSIVE : 0;
  DetachedTree tree;
  tree.mount_.Reset(
      open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
  if (!tree.mount_.valid()) return Fail(SystemError("cannot copy a mount", errno));
  mount_attr added = {};
  added.attr_set = attributes;
  if (mount_setattr(tree.mount_.get(), "", AT_EMPTY_PATH | recursive, &added, sizeof added) != 0)
    return Fail(SystemError("cannot restrict a mount", errno));
  return tree;
}

Result<DetachedTree> DetachedTree::Make(const char* type, std::span<const Option> options,
                                        uint64_t attributes) {
  const Descriptor context(fsopen(type, FSOPEN_CLOEXEC));
  const auto failed = [&](const std::string& what) {
    const int error = errno;
    return Fail(
        SystemError("cannot mount " + std::string(type) + what + Reason(context.get()), error));
  };
  if (!context.valid()) return failed("");
  for (const Option& option : options) {
    if (fsconfig(context.get(), FSCONFIG_SET_STRING, option.name, option.value.c_str(), 0) != 0)
      return failed(", " + std::string(option.name));
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return failed("");
  DetachedTree tree;
  tree.mount_.Reset(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes)));
  if (!tree.mount_.valid()) return failed("");
  return tree;
}

Status DetachedTree::AttachAt(const std::string& path) const {
  if (move_mount(mount_.get(), "", AT_FDCWD, path.c_str(),
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS) == 0)
    return Ok();
  return Fail(SystemError("cannot mount " + path, errno));
}

}  // namespace gp
