#pragma once

// A process inside a job, connected to this terminal or to these pipes.

#include <string>
#include <vector>

#include "cmd/cli.h"

namespace gp {

struct ExecOptions {
  std::string job;
  int rank = 0;
  std::vector<std::string> argv;
  bool pty = false;
  bool as_main = false;
};

// Runs until the process ends; returns its exit code.  With a complaint: 125 if the connection
// broke after it was made; the error's own code, 8 where no controller answers, if nothing was
// started.
int RunExec(Cli& cli, const ExecOptions& options);

// `run --pty`: waits until the job is placed, then runs its command on this terminal.
int RunInteractive(Cli& cli, const std::string& job, const std::vector<std::string>& argv);

}  // namespace gp
