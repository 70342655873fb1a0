#pragma once

// Starts one process: the job, one more inside it, or a hook outside.  The child is confined before
// it runs a single instruction of the user's.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "supervisor/become_user.h"
#include "supervisor/descriptor.h"
#include "supervisor/job_cgroups.h"

namespace gp {

struct ChildPlan {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string working_directory;
  std::optional<UserIdentity> user;     // unset: stays what we are (hooks)
  const JobCgroups* cgroups = nullptr;  // null: stays in ours (hooks)
  int mount_namespace = -1;             // -1: stays in ours
  int root = -1;                        // of that namespace; with it
  int ipc_namespace = -1;               // -1: stays in ours
  // It is born in; -1: ours, and `own_pid_namespace` is of no use
  int pid_namespace = -1;
  int own_pid_namespace = -1;
  int input = -1;  // become descriptors 0, 1 and 2
  int output = -1;
  int errors = -1;
  std::function<int()> work;  // run in the child in place of a program; its exit code
  bool terminal = false;      // `input` is to be the controlling terminal
};

// Whose fault it is that a program never ran.
enum class Blame : char { kJob = 'j', kPlatform = 'p' };

struct StartedChild {
  pid_t pid = 0;
  // Ends without a byte when the program runs; else a Blame and then why it never did.
  Descriptor start_failure;
};

Result<StartedChild> StartChild(const ChildPlan& plan);

}  // namespace gp
