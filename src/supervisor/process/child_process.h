#pragma once

// Starts one process: the job, another process inside it, or a hook outside.  The child is confined
// before it runs any code of the user.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "supervisor/process/become_user.h"
#include "supervisor/process/job_cgroups.h"

namespace gp {

// How to start a child process.
struct ChildPlan {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string working_directory;
  std::optional<UserIdentity> user;     // unset: the supervisor's user (hooks)
  const JobCgroups* cgroups = nullptr;  // null: the supervisor's cgroups (hooks)
  int mount_namespace = -1;             // -1: the supervisor's
  int root = -1;                        // root directory of that namespace; set together with it
  int ipc_namespace = -1;               // -1: the supervisor's
  int network_namespace = -1;           // -1: the supervisor's
  // The child is created in this one, a pidfd or a namespace; -1: the supervisor's, and
  // `own_pid_namespace` is not used
  int pid_namespace = -1;
  int own_pid_namespace = -1;
  int input = -1;  // these become descriptors 0, 1 and 2
  int output = -1;
  int errors = -1;
  std::function<int()> work;  // run in the child in place of a program; its exit code
  bool terminal = false;      // `input` is to be the controlling terminal
};

// The party responsible if a program never ran.
enum class Blame : char { kJob = 'j', kPlatform = 'p' };
// Of what failed with this errno.
Blame BlameFor(int error);
// kInvalidArgument (by the job's fault) or kInternal, with the error's text.
Error ErrorOfJob(const std::string& what, int error);

struct StartedChild {
  pid_t pid = 0;
  // A pipe: it ends without a byte when the program runs, else it holds a Blame and then the
  // reason.
  Descriptor start_failure;
};

Result<StartedChild> StartChild(const ChildPlan& plan);

}  // namespace gp
