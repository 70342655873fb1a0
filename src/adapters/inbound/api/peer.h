#pragma once

// Who is at the other end of a Unix socket, by the kernel's word.

#include "base/result.h"
#include "domain/model/job.h"

namespace gp {

// kUnauthenticated: the kernel does not say; kUnavailable: nobody says which name that uid has.
Result<User> PeerOf(int connection);

}  // namespace gp
