#pragma once

#include <sys/types.h>

#include <vector>

#include "supervisor/process/become_user.h"

namespace gp {

// While it lives, files are opened and made with the rights of this user; on network file systems
// root may have no access where the user has.  Mounts and devices stay root's.  Only one at a time.
class FileAccessOf {
 public:
  explicit FileAccessOf(const UserIdentity& user);
  ~FileAccessOf();
  FileAccessOf(const FileAccessOf&) = delete;
  FileAccessOf& operator=(const FileAccessOf&) = delete;

  // False: the rights could not be taken; nothing may be opened.
  bool is_taken() const { return is_taken_; }

 private:
  std::vector<gid_t> groups_;  // to return to
  bool is_taken_ = false;
};

}  // namespace gp
