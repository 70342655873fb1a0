#pragma once

// Users of the controller's machine.

#include "base/result.h"
#include "domain/model/jobs/job.h"

namespace gp {

// The user at the other end of a Unix socket, as the kernel reports it.  kUnauthenticated: the
// kernel reports none; kUnavailable: the uid's name cannot be looked up.
Result<User> PeerOf(int connection);

// kNotFound: no user has that name; kUnavailable: the lookup failed.
Result<User> NamedUser(const std::string& name);

}  // namespace gp
