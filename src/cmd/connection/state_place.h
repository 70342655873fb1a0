#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Commands that read the controller's files find them by its run directory: `serve` notes there
// where it keeps its state. It stays after the controller has ended, for commands that need none.
Status KeepStatePlace(const std::string& run_directory, const std::string& state_directory);
void ForgetStatePlace(const std::string& run_directory);

// The state directory of the controller that commands talk to (`server` as of Cli).  Where nothing
// is noted: where serve keeps it by default.  kUnsupported: the controller is on another machine.
Result<std::string> StatePlace(const std::string& server);

}  // namespace gp
