#include "supervisor/image/file_access.h"

#include <grp.h>
#include <sys/fsuid.h>
#include <unistd.h>

namespace gp {

FileAccessOf::FileAccessOf(const UserIdentity& user) {
  const int count = getgroups(0, nullptr);
  if (count < 0) return;
  groups_.resize(static_cast<size_t>(count));
  if (getgroups(count, groups_.data()) != count) return;
  if (setgroups(user.groups.size(), user.groups.data()) != 0) return;
  // They return the id before, also where they change nothing: the second call tells.
  setfsgid(user.gid);
  setfsuid(user.uid);
  is_taken_ = static_cast<gid_t>(setfsgid(user.gid)) == user.gid &&
              static_cast<uid_t>(setfsuid(user.uid)) == user.uid;
}

FileAccessOf::~FileAccessOf() {
  setfsuid(geteuid());
  setfsgid(getegid());
  setgroups(groups_.size(), groups_.data());
}

}  // namespace gp
