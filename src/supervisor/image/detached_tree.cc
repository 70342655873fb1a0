#include "supervisor/image/detached_tree.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr size_t kOptionMax = 255;  // fsconfig's

// What the file system itself says of its last failure, which errno does not.
std::string Reason(int context) {
  char text[256];
  const ssize_t count = context >= 0 ? read(context, text, sizeof text) : 0;
  // "e overlay: …\n"
  return count > 3 ? " (" + std::string(text + 2, static_cast<size_t>(count) - 3) + ")" : "";
}

}  // namespace

Result<DetachedTree> DetachedTree::CloneWith(int fd, uint64_t attributes, unsigned how) {
  DetachedTree tree;
  tree.mount_.Reset(open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | how));
  if (!tree.mount_.valid()) return Fail(SystemError("cannot copy a mount", errno));
  mount_attr added = {};
  added.attr_set = attributes;
  if (mount_setattr(tree.fd(), "", static_cast<int>(AT_EMPTY_PATH | how), &added, sizeof added) !=
      0)
    return Fail(SystemError("cannot restrict a mount", errno));
  return tree;
}

Result<DetachedTree> DetachedTree::Clone(int fd, uint64_t attributes) {
  return CloneWith(fd, attributes, 0);
}

Result<DetachedTree> DetachedTree::CloneWithMountsBelow(int fd, uint64_t attributes) {
  return CloneWith(fd, attributes, AT_RECURSIVE);
}

Result<DetachedTree> DetachedTree::MakeAt(const std::string& scratch, const char* type,
                                          std::span<const Option> options, uint64_t attributes) {
  std::string text;
  for (const Option& option : options) {
    text.append(text.empty() ? "" : ",").append(option.name);
    if (!option.value.empty()) text.append("=").append(option.value);
  }
  if (mount(type, scratch.c_str(), type, MS_NOSUID | MS_NODEV, text.c_str()) != 0)
    return Fail(SystemError("cannot mount " + std::string(type), errno));
  Result<DetachedTree> tree = Fail(Internal("cannot open a mount"));
  {
    const Descriptor there(open(scratch.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (there.valid()) tree = Clone(there.get(), attributes);
  }
  umount2(scratch.c_str(), MNT_DETACH);
  return tree;
}

Result<DetachedTree> DetachedTree::Make(const char* type, std::span<const Option> options,
                                        uint64_t attributes, const std::string& scratch) {
  const auto is_long = [](const Option& option) { return option.value.size() > kOptionMax; };
  if (!scratch.empty() && std::ranges::any_of(options, is_long))
    return MakeAt(scratch, type, options, attributes);
  const Descriptor context(fsopen(type, FSOPEN_CLOEXEC));
  const auto failed = [&](const std::string& what) {
    const int error = errno;
    return Fail(
        SystemError("cannot mount " + std::string(type) + what + Reason(context.get()), error));
  };
  if (!context.valid()) return failed("");
  for (const Option& option : options) {
    const bool is_flag = option.value.empty();
    if (fsconfig(context.get(), is_flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, option.name,
                 is_flag ? nullptr : option.value.c_str(), 0) != 0)
      return failed(", " + std::string(option.name));
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return failed("");
  DetachedTree tree;
  tree.mount_.Reset(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes)));
  if (!tree.mount_.valid()) return failed("");
  return tree;
}

Status DetachedTree::AttachAt(const Descriptor& target) const {
  if (move_mount(fd(), "", target.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) ==
      0)
    return Ok();
  // The job's user has removed, or replaced, what it was to be attached to.
  if (errno == ENOENT || errno == ENOTDIR)
    return Fail(InvalidArgument("a directory that is shown in the image is gone"));
  return Fail(SystemError("cannot attach a mount", errno));
}

Status DetachedTree::Seal() const {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (mount_setattr(fd(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) == 0) return Ok();
  return Fail(SystemError("cannot protect a mount", errno));
}

}  // namespace gp
