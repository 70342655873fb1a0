#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "domain/cluster/command.h"
#include "domain/model/access.h"
#include "domain/model/jobs/job.h"

namespace gp {

// Whether this is root or the user that the controller runs as.
bool IsSuperuser(const User& user);

// An authenticated caller.  The kernel (a local credential) or a secret (a token) proves the user.
struct Caller {
  User user;
  // The origin of the call, for the audit: "unix", "127.0.0.1:40312"
  std::string from;
  std::shared_ptr<const Access> access;  // all roles and tokens when the call came
  // Root, or the user that the controller runs as; its access cannot be revoked
  bool is_superuser = false;
  TokenId token;             // value 0: identified by the kernel
  Role most = Role::kAdmin;  // a token's highest role
  std::string scope;         // the token counts only in this queue and below; empty: everywhere
  // Of the call, if the client named it: a repeat changes nothing
  ClientRequest request = {};

  // The caller as the journal records it.
  Origin AsOrigin() const { return {"user:" + user.name, from}; }

  // The role in a queue, and in queues below unless another role was granted there; "": the role
  // everywhere.
  Role In(std::string_view queue) const;
  // Whether it has the role in any queue at all.
  bool HasSomewhere(Role role) const;
  bool Owns(const User& owner) const { return owner.uid == user.uid; }
};

// What a caller wants to do with a job.
enum class JobAct {
  kSee,     // see that it exists and what it holds
  kChange,  // stop, hold or release it
  kRead,    // read its command, environment and logs, and run processes inside it
};

// What the caller may do with jobs.  Caches the role in each queue; one thread at a time.
class JobRights {
 public:
  explicit JobRights(const Caller& caller) : caller_(caller) {}

  bool May(JobAct act, const Job& job);

 private:
  Role In(const std::string& queue);

  const Caller& caller_;
  std::map<std::string, Role> roles_;  // cache, by queue
};

}  // namespace gp
