// How an attempt gets its supervisor: started, found again, or cleaned up after ("buried").

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "adapters/outbound/process/supervised_attempt_runner.h"
#include "base/ignore_result.h"
#include "files/replace_file.h"
#include "supervisor/records/secret_memory.h"

namespace gp {
namespace {

constexpr int kBurialsMax = 3;
constexpr int kFirstWordMs = 1000;

Status CheckKey(const std::string& key) {
  const bool good =
      !key.empty() && key.size() <= 128 && key.front() != '-' &&
      key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (good) return Ok();
  return Fail(InvalidArgument("attempt key '" + key + "': only a-z, 0-9 and - are allowed"));
}

IsolationRequest IsolationOf(const LaunchSpec& spec) {
  return {.devices = spec.devices,
          .cpus = spec.cpus,
          .memory_nodes = spec.memory_nodes,
          .memory_bytes_max = spec.memory_bytes_max,
          .processes_max = spec.processes_max};
}

void MakeLogDirectory(const std::string& path) {
  if (path.empty()) return;
  // Those of a new job: two calls in place of a look at each directory above.
  const std::string parent = path.substr(0, path.rfind('/'));
  if ((mkdir(parent.c_str(), 0777) == 0 || errno == EEXIST) &&
      (mkdir(path.c_str(), 0777) == 0 || errno == EEXIST))
    return;
  std::error_code ignored;  // the supervisor reports it if the log cannot be opened
  std::filesystem::create_directories(path, ignored);
}

// For an attempt whose launch cannot be read.  `is_held`: its supervisor runs.
void JudgeUnreadable(AttemptStatus& status, bool is_held, const Error& error) {
  if (is_held) {
    status.message = "its supervisor runs, but cannot be reached: " + error.message;
    return;
  }
  status.phase = AttemptPhase::kExited;
  status.cause = EndCause::kSupervisorLost;  // not the job's fault: it may start again
  status.message = "the agent was interrupted while starting it";
}

}  // namespace

Status SupervisedAttemptRunner::Start(const LaunchSpec& spec) {
  GP_CHECK_OK(CheckKey(spec.key));
  if (attempts_.contains(spec.key)) {
    return Fail(Conflict("attempt " + spec.key + " exists already"));
  }
  AttemptDirectory directory = GP_TRY(AttemptDirectory::Make(attempts_fd_.get(), spec.key));
  Attempt& attempt = Remember(spec);
  MakeLogDirectory(spec.log_directory);
  const Result<CgroupPaths> cgroups = isolation_.Create(spec.key, IsolationOf(spec));
  if (cgroups.has_value()) attempt.cgroups = *cgroups;
  const Result<Descriptor> lock = directory.WriteLaunch({.spec = spec, .cgroups = attempt.cgroups});
  if (!lock.has_value()) return UndoStart(spec.key, lock.error());
  if (!cgroups.has_value()) return StartFailed(attempt, directory, cgroups.error());
  const Status supervised = SuperviseNew(attempt, directory, lock->get(), spec.secrets);
  return supervised.has_value() ? Ok() : UndoStart(spec.key, supervised.error());
}

SupervisedAttemptRunner::Attempt& SupervisedAttemptRunner::Remember(const LaunchSpec& spec) {
  Attempt& attempt = attempts_[spec.key];
  attempt.status.key = spec.key;
  LaunchSpec kept = spec;
  kept.secrets.clear();
  attempt.status.launch = std::make_shared<const LaunchSpec>(std::move(kept));
  attempt.leased = spec.stop_on_lease_loss;
  return attempt;
}

Status SupervisedAttemptRunner::UndoStart(const std::string& key, const Error& error) {
  IgnoreResult(isolation_.Remove(key, attempts_.at(key).cgroups),
               "what is left is removed at the next start");
  RemoveAttempt(attempts_fd_.get(), key);
  attempts_.erase(key);
  return Fail(error);
}

// A failed isolation ends the attempt like any other end: reported by Observe, remembered until
// Forget.
Status SupervisedAttemptRunner::StartFailed(Attempt& attempt, const AttemptDirectory& directory,
                                            const Error& error) {
  attempt.status.phase = AttemptPhase::kExited;
  attempt.status.cause = EndCause::kPlatformFault;
  attempt.status.message = error.message;
  return ReplaceFileAt(directory.fd(), kStatusFile, EncodeStatus(attempt.status), 0600,
                       Survives::kCrash);
}

Status SupervisedAttemptRunner::SuperviseNew(Attempt& attempt, const AttemptDirectory& directory,
                                             int lock_fd, const std::vector<std::string>& secrets) {
  Descriptor memory;
  if (!secrets.empty()) memory = GP_TRY(PutIntoMemory(secrets));
  return Supervise(attempt, directory, lock_fd, /*bury=*/false, memory.get());
}

Status SupervisedAttemptRunner::Supervise(Attempt& attempt, const AttemptDirectory& directory,
                                          int lock_fd, bool bury, int secrets_fd) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return Fail(SystemError("cannot make a socket pair", errno));
  }
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  attempt.supervisor = GP_TRY(
      fork_server_.StartSupervisor({.request = {.only_clean_up = bury, .key = attempt.status.key},
                                    .agent_fd = theirs.get(),
                                    .directory_fd = directory.fd(),
                                    .lock_fd = lock_fd,
                                    .secrets_fd = secrets_fd}));
  Watch(attempt, std::move(ours));
  return Ok();
}

void SupervisedAttemptRunner::Watch(Attempt& attempt, Descriptor connection) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.ptr = &attempt;
  epoll_ctl(events_.get(), EPOLL_CTL_ADD, connection.get(), &event);
  attempt.connection = std::move(connection);
}

// A process that the agent has just forked holds a copy of the connection until its exec: closing
// only this copy would leave an event that points at a removed attempt.
void SupervisedAttemptRunner::Unwatch(Attempt& attempt) {
  if (!attempt.connection.valid()) return;
  epoll_ctl(events_.get(), EPOLL_CTL_DEL, attempt.connection.get(), nullptr);
  attempt.connection.Reset();
}

void SupervisedAttemptRunner::Adopt(const std::string& key) {
  Attempt& attempt = attempts_[key];
  attempt.status.key = key;
  Attend(attempt);
}

// Moves an attempt without a connection to its proper state: connected, ended, or being buried.
void SupervisedAttemptRunner::Attend(Attempt& attempt) {
  const auto directory = AttemptDirectory::Open(attempts_fd_.get(), attempt.status.key);
  const auto launch = directory.has_value() ? directory->ReadLaunch() : Fail(directory.error());
  if (!launch.has_value()) {
    const bool is_held = directory.has_value() && directory->IsHeld();
    return JudgeUnreadable(attempt.status, is_held, launch.error());
  }
  attempt.cgroups = launch->cgroups;
  attempt.leased = launch->spec.stop_on_lease_loss;
  attempt.status.launch = std::make_shared<const LaunchSpec>(launch->spec);
  const std::optional<Descriptor> lock = directory->TryLock();
  if (lock.has_value()) return TakeEndOrBury(attempt, *directory, lock->get());
  // The supervisor is alive.  If it has just started, it may not listen yet: then the next
  // Observe finds it.
  Connect(attempt, *directory);
}

void SupervisedAttemptRunner::TakeEndOrBury(Attempt& attempt, const AttemptDirectory& directory,
                                            int lock_fd) {
  std::optional<AttemptStatus> status = directory.ReadStatus();
  if (status.has_value() && status->phase == AttemptPhase::kExited) {
    TakeStatus(attempt, std::move(*status));
  } else {
    Bury(attempt, directory, lock_fd);
  }
}

bool SupervisedAttemptRunner::Connect(Attempt& attempt, const AttemptDirectory& directory) {
  std::optional<Descriptor> connection = directory.Connect();
  if (!connection.has_value()) return false;
  ucred who = {};
  socklen_t size = sizeof who;
  getsockopt(connection->get(), SOL_SOCKET, SO_PEERCRED, &who, &size);
  attempt.supervisor = who.pid;
  // Its first message is the status; waiting for it keeps the caller from seeing an outdated phase.
  pollfd event = {.fd = connection->get(), .events = POLLIN, .revents = 0};
  poll(&event, 1, kFirstWordMs);
  Watch(attempt, std::move(*connection));
  TakeMessages(attempt);
  return true;
}

void SupervisedAttemptRunner::Bury(Attempt& attempt, const AttemptDirectory& directory,
                                   int lock_fd) {
  Error error = Internal("its supervisors keep dying");
  if (attempt.burials++ < kBurialsMax) {
    const Status supervised = Supervise(attempt, directory, lock_fd, /*bury=*/true);
    if (supervised.has_value()) return;
    error = supervised.error();
  }
  // Not kExited: its devices may still be in use and must not be given to others.
  attempt.status.message =
      "the attempt's supervisor died, and what it left cannot be killed: " + error.message;
}

}  // namespace gp
