#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "application/agent/launch/launch.h"
#include "base/time.h"
#include "domain/model/jobs/job.h"
#include "ports/outbound/clock.h"

namespace gp {

// The user that a job of `user` runs as on this host. Root's jobs run as the service user (or
// nobody, if that does not exist) unless root is allowed; an agent that is not root runs all jobs
// as itself.
HostUser ResolveUser(const User& user, const std::string& service_user, bool allow_root);

// Remembers for two seconds what a lookup found, because a lookup takes a hundred system calls, or
// waits for a directory server, and each start of a job needs one.  So a change of an account
// applies to jobs that start two seconds later.  One thread uses it; the clock must outlive it.
class HostUsers {
 public:
  using Lookup = std::function<HostUser(const User&)>;
  static constexpr Duration kMemory = Duration::Seconds(2);

  HostUsers(Lookup lookup, Clock& clock) : lookup_(std::move(lookup)), clock_(clock) {}

  const HostUser& Resolve(const User& user);

 private:
  struct Known {
    HostUser user;
    int64_t until_boot_ns = 0;
  };

  const Lookup lookup_;
  Clock& clock_;
  std::map<std::pair<uint32_t, uint32_t>, Known> known_;  // by uid and gid
};

}  // namespace gp
