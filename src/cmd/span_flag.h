#pragma once

#include <string>

#include "base/time.h"
#include "cmd/cli.h"

namespace gp {

// An option that takes a duration, as 90d; `by_default` is what its help says of the one that
// `span` has.
void AddSpan(CLI::App& sub, const std::string& flag, Duration& span, const std::string& help,
             const std::string& by_default);

}  // namespace gp
