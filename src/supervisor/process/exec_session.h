#pragma once

// The streams of one exec: pipes or a pseudo-terminal, and a pipe for the exit status.  The
// caller's ends are sent over the control socket and then closed here.

#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/process/child_process.h"

namespace gp {

struct ExecSession {
  uint64_t id = 0;
  bool pty = false;
  std::vector<Descriptor> for_caller;  // input, output, errors (not with a pty), exit status
  std::vector<Descriptor> for_child;   // input, output, errors
  Descriptor exit_status;              // written by the supervisor

  // Terminals belong to the job's user.
  static Result<ExecSession> Open(uint64_t id, const ExecSpec& spec, uint32_t owner);
  void AttachTo(ChildPlan& plan) const;
  std::vector<int> CallerEnds() const;
  // `wait_status` is that of waitpid.
  void ReportExit(int wait_status);
};

// `base` and `added`; for a name in both, the value of `added` counts.
std::vector<std::string> MergeEnvironment(const std::vector<std::string>& base,
                                          const std::vector<std::string>& added);

}  // namespace gp
