#pragma once

// Who asks, once somebody has vouched for it: the kernel (a ticket), or a secret (a token).

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "domain/cluster/command.h"
#include "domain/model/access.h"
#include "domain/model/job.h"

namespace gp {

struct Caller {
  User user;
  // Where the call came from, for the audit: "unix", "127.0.0.1:40312"
  std::string from;
  std::shared_ptr<const Access> access;  // what was granted when the call came
  // Root, or whom the controller runs as: nobody can shut it out
  bool is_superuser = false;
  TokenId token;             // value 0: the kernel vouched
  Role most = Role::kAdmin;  // a token gives no more than this
  std::string scope;         // and only in this queue and below; empty: everywhere

  // As whom the journal names it.
  Origin AsOrigin() const { return {"user:" + user.name, from}; }

  // What it may do in a queue, and in those below as far as nothing else was granted there; "":
  // everywhere.
  Role In(std::string_view queue) const;
  // Whether it has the role in any queue at all.
  bool HasSomewhere(Role role) const;
  bool Owns(const User& owner) const { return owner.uid == user.uid; }
};

// What is done with a job.
enum class JobAct {
  kSee,     // that it is there, and what it holds
  kChange,  // stop it, hold it, let it go
  kRead,    // what it runs with and what it says, and processes inside it
};

// What the caller may do with jobs, many of which stand in one queue.
class JobRights {
 public:
  explicit JobRights(const Caller& caller) : caller_(caller) {}

  bool May(JobAct act, const Job& job);

 private:
  Role In(const std::string& queue);

  const Caller& caller_;
  std::map<std::string, Role> roles_;  // by queue, as far as asked
};

}  // namespace gp
