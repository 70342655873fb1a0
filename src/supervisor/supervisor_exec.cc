// Exec: another process inside a running attempt; its streams are passed to the caller.

#include "supervisor/process/host.h"
#include "supervisor/supervisor.h"

namespace gp {

ChildPlan Supervisor::JobPlan() const {
  const LaunchSpec& spec = launch_.spec;
  ChildPlan plan;
  // Never the supervisor's own, which is outside the root of an image.
  plan.working_directory = spec.working_directory.empty() ? "/" : spec.working_directory;
  plan.user = UserIdentity{.uid = spec.uid, .gid = spec.gid, .groups = spec.groups};
  plan.cgroups = &cgroups_;
  plan.pid_namespace = processes_.first_held.get();
  plan.own_pid_namespace = TheHost().pids.get();
  return plan;
}

void Supervisor::OnExec(const ExecRequest& request) {
  const Status started = StartExec(request);
  if (started.has_value()) return;
  link_.Answer({.id = request.id, .error = started.error().message, .pty = false}, {});
}

Status Supervisor::StartExec(const ExecRequest& request) {
  if (state_ != State::kRunning) return Fail(Conflict("the attempt is not running"));
  if (request.spec.as_main && main_pid_ != 0) {
    return Fail(Conflict("the attempt has its main process already"));
  }
  ExecSession session = GP_TRY(ExecSession::Open(request.id, request.spec, launch_.spec.uid));
  ChildPlan plan = JobPlan();
  plan.argv = request.spec.argv;
  plan.environment = MergeEnvironment(launch_.spec.environment, request.spec.environment);
  session.AttachTo(plan);
  const ChildRole role = request.spec.as_main ? ChildRole::kMain : ChildRole::kExec;
  GP_CHECK_OK(children_.Start(role, plan, std::move(session)));
  Child& child = children_.list().back();
  child.session->for_child.clear();
  if (request.spec.as_main) main_pid_ = child.pid;
  return Ok();
}

void Supervisor::AnswerExec(Child& child) {
  ExecSession& session = *child.session;
  const bool failed = !child.failure.empty();
  link_.Answer({.id = session.id, .error = child.failure, .pty = session.pty},
               failed ? std::vector<int>{} : session.CallerEnds());
  session.for_caller.clear();
}

}  // namespace gp
