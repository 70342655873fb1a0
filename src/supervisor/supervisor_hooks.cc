// Prolog and epilog: executables of the administrator.  They run as root in the host's mounts and
// outside the attempt's cgroups, without the user's environment.

#include <signal.h>
#include <sys/wait.h>

#include "supervisor/process/host.h"
#include "supervisor/supervisor.h"

namespace gp {

void Supervisor::StartHook(const std::string& program, State state) {
  state_ = state;
  hook_overdue_ = false;
  hook_deadline_ = BootNs() + launch_.spec.hook_time_limit.ns;
  ChildPlan plan;
  plan.argv = {program};
  plan.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                      "GP_ATTEMPT=" + status_.key,
                      "GP_JOB_UID=" + std::to_string(launch_.spec.uid),
                      "GP_JOB_GID=" + std::to_string(launch_.spec.gid),
                      "GP_EXIT_CODE=" + std::to_string(status_.exit_code),
                      "GP_SIGNAL=" + std::to_string(status_.signal)};
  plan.working_directory = "/";
  if (has_own_mounts_) {
    plan.mount_namespace = TheHost().mounts.get();
    plan.root = TheHost().root.get();
  }
  if (processes_.has_own_ipc) plan.ipc_namespace = TheHost().ipc.get();
  if (has_own_network_) plan.network_namespace = TheHost().network.get();
  plan.input = null_.get();
  plan.output = errors_.has_value() ? errors_->writable() : null_.get();
  plan.errors = plan.output;
  const Status started = children_.Start(ChildRole::kHook, plan, std::nullopt);
  if (started.has_value()) return;
  hook_deadline_ = kNever;
  if (state == State::kProlog)
    return CouldNotStart(EndCause::kPlatformFault,
                         "prolog " + program + ": " + started.error().message);
  AddMessage("epilog " + program + ": " + started.error().message);
  Finish();
}

void Supervisor::KillHook() {
  for (const Child& child : children_.list()) {
    if (child.role != ChildRole::kHook) continue;
    // Its process group, or the process itself if it has no group of its own yet.
    if (kill(-child.pid, SIGKILL) != 0) kill(child.pid, SIGKILL);
  }
}

void Supervisor::OnHookExit(const Exit& exit) {
  hook_deadline_ = kNever;
  const bool is_prolog = state_ == State::kProlog;
  const std::string name =
      is_prolog ? "prolog " + launch_.spec.prolog : "epilog " + launch_.spec.epilog;
  std::string failure;
  if (!exit.child.failure.empty()) {
    failure = name + ": " + exit.child.failure;
  } else if (hook_overdue_) {
    failure =
        name + " took longer than " + ToText(launch_.spec.hook_time_limit) + " and was killed";
  } else if (WIFSIGNALED(exit.wait_status)) {
    failure = name + " was ended by signal " + std::to_string(WTERMSIG(exit.wait_status));
  } else if (WEXITSTATUS(exit.wait_status) != 0) {
    failure = name + " exited with " + std::to_string(WEXITSTATUS(exit.wait_status));
  }
  if (!is_prolog) {
    AddMessage(failure);
    return Finish();
  }
  if (status_.cause != EndCause::kExit) return BeginKilling();  // stopped during the prolog
  if (!failure.empty()) return CouldNotStart(EndCause::kPlatformFault, failure);
  StartMain();
}

}  // namespace gp
