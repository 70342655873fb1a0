#pragma once

#include "application/agent/launch.h"
#include "domain/model/jobs/job.h"

namespace gp {

// The user that a job of `user` runs as on this host. Root's jobs run as the service user (or
// nobody, if that does not exist) unless root is allowed; an agent that is not root runs all jobs
// as itself.
HostUser ResolveUser(const User& user, const std::string& service_user, bool allow_root);

}  // namespace gp
