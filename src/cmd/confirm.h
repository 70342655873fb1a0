#pragma once

#include <string>

#include "cmd/output.h"

namespace gp {

// Whether the caller agrees to `question`: with --yes (`yes`), or by an answer at the terminal.
// Without a terminal complains: `why` says what would happen.
bool IsConfirmed(Output& output, bool yes, const std::string& why, const std::string& question);

}  // namespace gp
