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

// Permanently drops all privileges that the user does not have: capabilities, groups and ids; and
// sets no_new_privs and the process limits of a job.  Returns empty on success, else what failed,
// with errno set.
std::string BecomeUser(const UserIdentity& user);

}  // namespace gp
