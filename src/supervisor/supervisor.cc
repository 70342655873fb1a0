#include "supervisor/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "supervisor/process/exec_session.h"
#include "supervisor/process/host.h"
#include "supervisor/process/private_mounts.h"
#include "supervisor/process/private_network.h"
#include "supervisor/records/secret_memory.h"

namespace gp {
namespace {

constexpr int64_t kGroupLookNs = 20'000'000;
constexpr int64_t kKillAgainNs = 10'000'000;  // with cgroups v1 or none: until all are gone
constexpr int64_t kKillAgainSlowlyNs = 1'000'000'000;
constexpr int64_t kPatienceNs = 10'000'000'000;  // then the status says that killing fails

}  // namespace

Supervisor::Supervisor(Descriptor agent, Descriptor directory, Descriptor secrets)
    : directory_(std::move(directory)), agent_(std::move(agent)), secrets_(std::move(secrets)) {}

void Supervisor::Run() {
  const Status prepared = Prepare();
  if (prepared.has_value()) {
    Begin();
  } else {
    status_.cause = EndCause::kPlatformFault;
    AddMessage(prepared.error().message);
    Finish();
  }
  Loop();
}

void Supervisor::Bury() {
  burying_ = true;
  status_.cause = EndCause::kSupervisorLost;
  AddMessage("the attempt's supervisor died; what was left of the job was killed");
  const Status prepared = Prepare();
  if (!prepared.has_value()) AddMessage(prepared.error().message);
  BeginKilling();
  Loop();
}

Status Supervisor::Prepare() {
  TheHost();
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // processes of the same user must not trace us
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  signals_.Reset(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  null_.Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!signals_.valid() || !null_.valid()) {
    return Fail(SystemError("cannot open descriptors", errno));
  }
  GP_CHECK_OK(timer_.Open());
  GP_CHECK_OK(link_.Open(std::move(agent_)));
  const std::string launch = GP_TRY(ReadFileAt(directory_.get(), kLaunchFile));
  launch_ = GP_TRY(DecodeLaunch(launch));
  GP_CHECK_OK(TakeSecrets());
  status_.key = launch_.spec.key;
  Result<JobCgroups> cgroups = JobCgroups::Open(launch_.cgroups);
  if (cgroups.has_value()) cgroups_ = std::move(*cgroups);
  if (burying_) return Ok();  // the cgroups may be gone already, and logs are not needed
  if (!cgroups.has_value()) return Fail(cgroups.error());
  SetLease(launch_.spec.lease_deadline_boot_ns);
  GP_CHECK_OK(status_file_.Reserve(directory_.get()));
  return OpenLogs();
}

// Adds the secrets to the environment, which is only in our memory.
Status Supervisor::TakeSecrets() {
  if (!secrets_.valid()) return Ok();
  const std::vector<std::string> secrets = GP_TRY(ReadFromMemory(secrets_));
  secrets_.Reset();
  launch_.spec.environment = MergeEnvironment(launch_.spec.environment, secrets);
  return Ok();
}

Status Supervisor::OpenLogs() {
  const LaunchSpec& spec = launch_.spec;
  if (spec.log_directory.empty()) return Ok();
  const std::string stem = spec.log_directory + "/" + spec.log_name;
  const uint32_t owner = geteuid() == 0 ? spec.uid : geteuid();
  output_ = GP_TRY(LogStream::Open(stem + ".out", spec.log_bytes_max, owner));
  errors_ = GP_TRY(LogStream::Open(stem + ".err", spec.log_bytes_max, owner));
  return Ok();
}

void Supervisor::Begin() {
  if (launch_.spec.prolog.empty()) {
    StartMain();
  } else {
    StartHook(launch_.spec.prolog, State::kProlog);
  }
}

void Supervisor::StartMain() {
  if (BootNs() >= lease_deadline_) {  // it ran out during the prolog
    OnLeaseLost();
    return BeginKilling();
  }
  const Status started = StartMainProcess();
  if (started.has_value()) return;
  const bool of_job = started.error().code == ErrorCode::kInvalidArgument;
  CouldNotStart(of_job ? EndCause::kCouldNotStart : EndCause::kPlatformFault,
                started.error().message);
}

Status Supervisor::StartMainProcess() {
  GP_CHECK_OK(OpenReports());
  GP_CHECK_OK(EnterPrivateMounts(launch_.spec, has_own_mounts_));
  // Before the init process, whose view of the network every process of the job may read.
  if (launch_.spec.private_network) GP_CHECK_OK(EnterPrivateNetwork(has_own_network_));
  if (launch_.spec.private_processes && has_own_mounts_) {
    const Status entered = EnterPrivateProcesses(launch_.spec.key, processes_);
    if (processes_.first > 0) children_.Add(ChildRole::kFirst, processes_.first);
    GP_CHECK_OK(entered);
  }
  if (launch_.spec.HasImage() && processes_.first == 0)
    return Fail(Internal("an image needs PID namespaces, which this kernel does not have"));
  // A file server may have taken its time.
  if (BootNs() >= lease_deadline_) return Fail(Internal("the lease ran out before the start"));
  state_ = State::kRunning;
  if (launch_.spec.interactive && launch_.spec.argv.empty()) {
    // The devices are held from now on; the main process comes by Exec.
    status_.phase = AttemptPhase::kRunning;
    status_.started_at.ns = WallNs();
    status_.started_boot_ns = BootNs();
    status_changed_ = true;
    AwaitEntry();
    return Ok();
  }
  ChildPlan plan = JobPlan();
  plan.argv = launch_.spec.argv;
  plan.environment = launch_.spec.environment;
  plan.input = null_.get();
  plan.output = output_.has_value() ? output_->writable() : null_.get();
  plan.errors = errors_.has_value() ? errors_->writable() : null_.get();
  GP_CHECK_OK(children_.Start(ChildRole::kMain, plan, std::nullopt));
  main_pid_ = children_.list().back().pid;
  return Ok();
}

void Supervisor::AwaitEntry() {
  main_pid_ = 0;
  entry_deadline_ = BootNs() + launch_.spec.entry_time_limit.ns;
}

void Supervisor::CouldNotStart(EndCause cause, const std::string& why) {
  status_.cause = cause;
  AddMessage(why);
  BeginKilling();
}

void Supervisor::OnStartKnown(Child& child) {
  if (child.session.has_value()) AnswerExec(child);
  if (child.role != ChildRole::kMain) return;
  if (!child.failure.empty()) {
    if (child.session.has_value()) AwaitEntry();  // the caller gets the error and may try again
    return;
  }
  status_.phase = AttemptPhase::kRunning;
  status_.pid = child.pid;
  status_.started_at.ns = WallNs();
  status_.started_boot_ns = BootNs();
  status_changed_ = true;
  BeginReports();
}

void Supervisor::OnExit(Exit exit) {
  Child& child = exit.child;
  if (child.start_failure.valid()) {
    while (!Children::LearnStart(child)) {
    }
    OnStartKnown(child);
  }
  if (child.role == ChildRole::kFirst) return;
  if (child.role == ChildRole::kHook) return OnHookExit(exit);
  if (child.role == ChildRole::kCheck) return OnLooked(exit);
  if (child.role == ChildRole::kDiscard) return DiscardNext();
  if (child.session.has_value()) child.session->ReportExit(exit.wait_status);
  if (child.role == ChildRole::kMain) OnMainExit(exit);
}

void Supervisor::OnMainExit(const Exit& exit) {
  const bool never_ran = !exit.child.failure.empty();
  if (never_ran && exit.child.session.has_value()) return;
  main_ended_ = true;
  TakeReports();
  if (never_ran) return CouldNotStart(exit.child.failure_cause, exit.child.failure);
  if (WIFSIGNALED(exit.wait_status)) {
    status_.signal = WTERMSIG(exit.wait_status);
  } else {
    status_.exit_code = WEXITSTATUS(exit.wait_status);
  }
  if (state_ == State::kRunning) BeginKilling();
  LookAtGroupLater();
}

// Orphans of the job are reaped in its own pid namespace, so the supervisor gets no SIGCHLD for
// them and polls instead.
void Supervisor::LookAtGroupLater() {
  group_look_at_ =
      state_ == State::kStopping && processes_.first > 0 ? BootNs() + kGroupLookNs : kNever;
}

// Runs after every reaping, because the last process of the job may have ended.
void Supervisor::OnReaped() {
  const bool group_is_gone = main_ended_ && kill(-main_pid_, 0) != 0;
  if (state_ == State::kStopping && group_is_gone) BeginKilling();
  if (state_ == State::kKilling && IsGone()) OnGone();
}

void Supervisor::Stop(Duration grace, EndCause cause, const std::string& why) {
  const int64_t deadline = BootNs() + std::max<int64_t>(grace.ns, 0);
  if (state_ == State::kStopping) {
    stop_deadline_ = std::min(stop_deadline_, deadline);
    return;
  }
  if (state_ != State::kProlog && state_ != State::kRunning) return;
  if (status_.cause != EndCause::kExit) return;  // already stopped during the prolog
  status_.cause = cause;
  AddMessage(why);
  if (state_ == State::kProlog) return KillHook();  // OnHookExit continues
  if (main_pid_ == 0 || grace.ns <= 0) return BeginKilling();
  SignalMain();
  stop_deadline_ = deadline;
  state_ = State::kStopping;
}

// A job that is being stopped still needs its lease until its grace is over.
void Supervisor::SetLease(int64_t deadline_boot_ns) {
  const bool is_over = lease_lost_ || state_ > State::kStopping;
  if (!launch_.spec.stop_on_lease_loss || is_over) return;
  lease_deadline_ = deadline_boot_ns > 0 ? deadline_boot_ns : kNever;
}

// A lost lease stays lost, because its devices may be assigned to other jobs already.
void Supervisor::OnLeaseLost() {
  lease_lost_ = true;
  lease_deadline_ = kNever;
  const Duration grace = std::min(launch_.spec.grace, kLeaseGraceMax);
  Stop(grace, EndCause::kLeaseLost, "the lease ran out: no word from the controller in time");
}

void Supervisor::SignalMain() {
  if (AskForCheckpoint()) return;
  // The whole group, as a terminal does, because the main process is often a shell around the
  // program.
  if (kill(-main_pid_, SIGTERM) != 0) kill(main_pid_, SIGTERM);
  kill(-main_pid_, SIGCONT);  // a stopped process could not handle SIGTERM
}

void Supervisor::BeginKilling() {
  state_ = State::kKilling;
  stop_deadline_ = lease_deadline_ = entry_deadline_ = kNever;
  CloseReports();
  killing_since_ = BootNs();
  if (IsGone()) return OnGone();
  Kill();
}

void Supervisor::Kill() {
  const int64_t now = BootNs();
  children_.Kill(ChildRole::kFirst);
  if (cgroups_.CanKill()) {
    cgroups_.KillAll();
  } else {
    children_.KillDirect();
  }
  const bool slowly = now - killing_since_ > kPatienceNs;
  kill_again_at_ = now + (slowly ? kKillAgainSlowlyNs : kKillAgainNs);
  if (slowly && status_.message.empty()) {
    AddMessage(
        "processes of the job cannot be killed: they wait inside the kernel, often for a "
        "device driver or a file server; the devices stay taken until they end");
    status_changed_ = true;
  }
}

bool Supervisor::IsGone() {
  if (burying_) return cgroups_.IsEmpty();  // its processes were never our children
  if (is_looking_) return false;
  if (children_.none_left()) return true;
  // Only a daemon that the prolog started can be our child and outside of the cgroups.
  if (launch_.spec.prolog.empty()) return false;
  const bool ours_left = children_.Has(ChildRole::kMain) || children_.Has(ChildRole::kExec) ||
                         children_.Has(ChildRole::kCheck) || children_.Has(ChildRole::kDiscard) ||
                         children_.Has(ChildRole::kFirst);
  return cgroups_.CanKill() && !ours_left && cgroups_.IsEmpty();
}

void Supervisor::OnGone() {
  kill_again_at_ = kNever;
  if (launch_.spec.epilog.empty() || epilog_done_) return Finish();
  epilog_done_ = true;
  StartHook(launch_.spec.epilog, State::kEpilog);
}

void Supervisor::Finish() {
  for (std::optional<LogStream>* stream : {&output_, &errors_}) {
    if (!stream->has_value()) continue;
    (*stream)->Finish();
    AddMessage((*stream)->Loss());
  }
  if (metrics_) {
    metrics_->Finish();
    if (metrics_->last_error() != 0)
      AddMessage(std::string("metrics were lost: ") + std::strerror(metrics_->last_error()));
  }
  // The job's own mounts may hide the host's file.
  if (!launch_.spec.report_pipe.empty())
    unlinkat(TheHost().root.get(), launch_.spec.report_pipe.c_str() + 1, 0);
  JudgeMemory();
  status_.phase = AttemptPhase::kExited;
  status_.ended_at.ns = WallNs();
  status_.ended_boot_ns = BootNs();
  const Status written = status_file_.Publish(directory_.get(), EncodeStatus(status_));
  if (!written.has_value()) AddMessage(written.error().message);
  link_.Tell(status_);
  status_changed_ = false;
  state_ = State::kDone;
}

void Supervisor::JudgeMemory() {
  const int64_t kills = cgroups_.OomKills();
  if (kills == 0 || status_.cause != EndCause::kExit) return;
  const bool succeeded = status_.exit_code == 0 && status_.signal == 0;
  if (!succeeded) status_.cause = EndCause::kOutOfMemory;
  AddMessage(std::to_string(kills) +
             (kills == 1 ? " process of the job was" : " processes of the job were") +
             " killed for using more memory than its limit of " +
             std::to_string(launch_.spec.memory_bytes_max) + " bytes");
}

void Supervisor::AddMessage(const std::string& text) {
  if (text.empty()) return;
  if (!status_.message.empty()) status_.message += "; ";
  status_.message += text;
}

}  // namespace gp
