#pragma once

// Runs a command until it ends or a time limit passes.  No shell interprets the words.

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace gp {

struct CommandEnd {
  bool ok = false;     // exit code 0 in time
  std::string output;  // the beginning of stdout and stderr; or why it did not run
};

// kOwn: the command gets its own process group, and all that it started is killed with it. kOurs:
// it stays in the caller's group, for a caller that is itself run by RunCommand.
enum class CommandGroup { kOwn, kOurs };

// `stop_fd`: readable when the command must stop; -1: none.  `input`: its standard input.
CommandEnd RunCommand(std::vector<std::string> words, Duration time_limit, int stop_fd,
                      std::string_view input = {}, CommandGroup group = CommandGroup::kOwn);

}  // namespace gp
