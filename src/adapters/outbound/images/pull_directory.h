#pragma once

// A directory of a job's user that its image is pulled into, for as long as the object lives.

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gp {

class PullDirectory {
 public:
  struct Owner {
    uid_t uid = 0;
    gid_t gid = 0;
  };
  // The command that removes what is in a directory, as its owner: root would delete for the user
  // what the user may not, and as long as the user adds to it.
  using Discard = std::function<std::vector<std::string>(const std::string& path, Owner owner)>;

  // In `above`, of root and mode 0711, which is made where it is missing.
  static Result<PullDirectory> Make(const std::string& above, const std::string& key, Owner owner,
                                    Discard discard);
  ~PullDirectory();
  // The paths of those that an earlier agent has left.
  static std::vector<std::string> Left(const std::string& above);
  // What cannot be removed stays.  `stop`: readable when it must end; -1: none.
  static void Remove(const std::string& path, const Discard& discard, int stop);
  PullDirectory(PullDirectory&& other) noexcept;
  PullDirectory& operator=(PullDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  PullDirectory(std::string path, Discard discard)
      : path_(std::move(path)), discard_(std::move(discard)) {}

  std::string path_;
  Discard discard_;
};

}  // namespace gp
