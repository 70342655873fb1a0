#pragma once

// A key and its certificate in one file, so that they always belong together. Readable by its owner
// alone.

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "lib/tls/authority.h"
#include "lib/tls/certificate.h"

namespace gp {

// kNotFound: there is no file. kInvalidArgument: it is damaged, or others can read it.
Result<Identity> ReadIdentity(const std::string& path);
// The authority of the controller with this state directory, which is made if there is none.
Result<Authority> KeptAuthority(const std::string& state_directory, Instant now);
Status KeepIdentity(const std::string& path, const Identity& identity);

}  // namespace gp
