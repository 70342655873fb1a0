#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gp {

struct UserIdentity {
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
};

// Gives up, for good, everything that the user does not have: capabilities, groups, ids, the way
// back (no_new_privs).  Also sets the process limits of a job.  Empty: done; else what failed, with
// errno set.
std::string BecomeUser(const UserIdentity& user);

}  // namespace gp
