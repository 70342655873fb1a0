#include "application/access/caller.h"

#include <unistd.h>

#include <algorithm>

#include "domain/cluster/state/state.h"

namespace gp {
namespace {

bool IsAtOrBelow(std::string_view queue, std::string_view top) {
  return queue.starts_with(top) && (queue.size() == top.size() || queue[top.size()] == '/');
}

}  // namespace

bool IsSuperuser(const User& user) { return user.uid == 0 || user.uid == geteuid(); }

Role Caller::In(std::string_view queue) const {
  if (!scope.empty() && !IsAtOrBelow(queue, scope)) return Role::kNone;
  return std::min(most, is_superuser ? Role::kAdmin : RoleOf(*access, user.name, queue));
}

bool Caller::HasSomewhere(Role role) const {
  if (In(scope) >= role) return true;
  for (const std::string& subject : {user.name, std::string(kEverybody)}) {
    for (auto next = access->roles.lower_bound({subject, ""});
         next != access->roles.end() && next->first.subject == subject; ++next) {
      if (next->second >= role && In(next->first.queue) >= role) return true;
    }
  }
  return false;
}

bool JobRights::May(JobAct act, const Job& job) {
  const Role role = In(job.queue);
  if (role >= Role::kUser && caller_.Owns(job.user)) return true;
  switch (act) {
    case JobAct::kSee: return role >= Role::kViewer;
    case JobAct::kChange: return role >= Role::kOperator;
    case JobAct::kRead: return role >= Role::kAdmin;
  }
  return false;
}

Role JobRights::In(const std::string& queue) {
  const auto [found, is_new] = roles_.try_emplace(queue, Role::kNone);
  if (is_new) found->second = caller_.In(queue);
  return found->second;
}

}  // namespace gp
