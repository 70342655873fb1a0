#pragma once

// Runs a command to its end, or for so long.  It is a child's work: no shell reads the words.

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace gp {

struct CommandEnd {
  bool ok = false;     // exit code 0 in time
  std::string output;  // the beginning of what it wrote, errors too; or why it did not run
};

// Whether it is a process group of its own, and so ends with all that it started; one that is
// itself run so stays in the group that it is to end with.
enum class CommandGroup { kOwn, kOurs };

// `stop_fd`: readable when nobody wants the end any more; -1: none.  `input`: what it reads from
// its standard input.
CommandEnd RunCommand(std::vector<std::string> words, Duration time_limit, int stop_fd,
                      std::string_view input = {}, CommandGroup group = CommandGroup::kOwn);

}  // namespace gp
