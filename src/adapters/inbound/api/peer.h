#pragma once

// Users as the controller's machine knows them.

#include "base/result.h"
#include "domain/model/job.h"

namespace gp {

// Who is at the other end of a Unix socket, by the kernel's word.  kUnauthenticated: the kernel
// does not say; kUnavailable: nobody says which name that uid has.
Result<User> PeerOf(int connection);

// kNotFound: there is none of that name; kUnavailable: nobody says.
Result<User> NamedUser(const std::string& name);

}  // namespace gp
