#pragma once

// Runs a command to its end, or for so long.

#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

struct CommandEnd {
  bool ok = false;      // exit code 0 in time
  std::string output;   // the beginning of what it wrote, errors too; or why it did not run
};

// `stop_fd`: readable when nobody wants the end any more; -1: none.
CommandEnd RunCommand(std::vector<std::string> words, Duration time_limit, int stop_fd);

}  // namespace gp
