#pragma once

// Runs a command until it ends or a time limit passes.  No shell interprets the words.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace gp {

struct CommandEnd {
  bool ok = false;     // exit code 0 in time
  std::string output;  // the beginning of stdout and stderr; or why it did not run
  std::string errors;  // with separate_errors: of stderr
};

// kOwn: the command gets its own process group, and all that it started is killed with it. kOurs:
// it stays in the caller's group, for a caller that is itself run by RunCommand.
enum class CommandGroup { kOwn, kOurs };

struct CommandOptions {
  Duration time_limit;
  int stop_fd = -1;                      // readable when the command must stop; -1: none
  std::string input;                     // its standard input
  bool has_environment = true;           // the caller's; false: `environment`
  std::vector<std::string> environment;  // "NAME=value"
  size_t output_max = 4'096;             // bytes that CommandEnd::output takes
  bool separate_errors = false;          // stderr is not part of CommandEnd::output
  // Receives the output piece by piece in place of CommandEnd::output; empty: it is collected.
  std::function<void(std::string_view)> on_output;
  CommandGroup group = CommandGroup::kOwn;
  // Commands with the same lock file run one after another.  The command holds the lock itself, so
  // a command that outlives a killed caller still keeps the next one waiting; the next caller ends
  // it when its time limit is over.  Empty: none.
  std::string lock_file;
  Duration lock_wait = Duration::Seconds(150);  // the time limit begins when the lock is held
  std::function<void()> before_start;           // called when the lock is held; may be empty
};

CommandEnd RunCommand(std::vector<std::string> words, const CommandOptions& options);

}  // namespace gp
