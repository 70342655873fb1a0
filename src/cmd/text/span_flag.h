#pragma once

#include <string>

#include "base/time.h"
#include "cmd/cli.h"

namespace gp {

// An option that takes a duration, such as 90d; `by_default` is the text of the default that `span`
// has.
void AddSpan(CLI::App& sub, const std::string& flag, Duration& span, const std::string& help,
             const std::string& by_default);

}  // namespace gp
