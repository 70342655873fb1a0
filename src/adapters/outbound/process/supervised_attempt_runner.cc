#include "adapters/outbound/process/supervised_attempt_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "adapters/outbound/process/carried_programs.h"

namespace gp {
namespace {

constexpr int kLooksForLock = 100;
constexpr useconds_t kBetweenLooksUs = 20'000;

// 0, or an errno; EWOULDBLOCK: another process holds the lock.  After an agent was killed,
// processes that it had just forked may hold it for a moment.
int LockSoon(int directory_fd) {
  for (int look = 0; look < kLooksForLock; ++look) {
    if (flock(directory_fd, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK && errno != EINTR) return errno;
    usleep(kBetweenLooksUs);
  }
  return EWOULDBLOCK;
}

constexpr int kEventsPerTurn = 64;
constexpr int kExecPatienceMs = 10'000;

Status MakeDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Fail(Internal("cannot create " + path + ": " + error.message()));
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  return Ok();
}

}  // namespace

Result<std::unique_ptr<SupervisedAttemptRunner>> SupervisedAttemptRunner::Open(
    const Options& options, DeviceIsolation& isolation) {
  std::unique_ptr<SupervisedAttemptRunner> runner(new SupervisedAttemptRunner(isolation));
  GP_CHECK_OK(runner->Prepare(options));
  for (const std::string& key : ListAttempts(runner->attempts_fd_.get())) runner->Adopt(key);
  return runner;
}

Status SupervisedAttemptRunner::Prepare(const Options& options) {
  const std::string attempts = options.state_directory + "/attempts";
  GP_CHECK_OK(MakeDirectory(attempts));
  attempts_fd_.Reset(open(attempts.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  events_.Reset(epoll_create1(EPOLL_CLOEXEC));
  if (!attempts_fd_.valid() || !events_.valid()) {
    return Fail(SystemError("cannot watch " + attempts, errno));
  }
  const int error = LockSoon(attempts_fd_.get());
  if (error == EWOULDBLOCK) return Fail(Conflict("another agent runs with " + attempts));
  if (error != 0) return Fail(SystemError("cannot lock " + attempts, error));
  if (!options.supervisor_path.empty()) {
    fork_server_ = SupervisorForkServer(options.supervisor_path);
    return Ok();
  }
  const std::string programs = options.state_directory + "/" + kProgramDirectory;
  GP_CHECK_OK(MakeDirectory(programs));
  fork_server_ = SupervisorForkServer(GP_TRY(InstallSupervisor(programs)));
  return Ok();
}

SupervisedAttemptRunner::~SupervisedAttemptRunner() = default;

SupervisedAttemptRunner::Attempt* SupervisedAttemptRunner::Find(const std::string& key) {
  const auto found = attempts_.find(key);
  return found == attempts_.end() || found->second.forgotten ? nullptr : &found->second;
}

void SupervisedAttemptRunner::Renew(const std::string& key, int64_t lease_deadline_boot_ns) {
  Attempt* attempt = Find(key);
  if (attempt == nullptr || !attempt->leased || !attempt->connection.valid()) return;
  // If the supervisor does not read, this has no effect; Stop handles that.
  SendMessage(attempt->connection.get(), RenewRequest{lease_deadline_boot_ns});
}

void SupervisedAttemptRunner::Stop(const std::string& key, Duration grace) {
  Attempt* attempt = Find(key);
  if (attempt == nullptr || attempt->status.phase == AttemptPhase::kExited) return;
  if (attempt->connection.valid()) Send(*attempt, StopRequest{grace});
}

void SupervisedAttemptRunner::Discard(const std::string& key, const std::string& directory,
                                      const std::vector<std::string>& paths) {
  Attempt* attempt = Find(key);
  if (attempt == nullptr || attempt->status.phase == AttemptPhase::kExited) return;
  if (attempt->connection.valid())
    SendMessage(attempt->connection.get(), DiscardRequest{directory, paths});
}

void SupervisedAttemptRunner::Send(Attempt& attempt, const ControlMessage& message) {
  if (SendMessage(attempt.connection.get(), message) != SendOutcome::kFull) return;
  // It has not read hundreds of messages: it hangs.  Its end makes the agent bury the attempt.
  if (attempt.supervisor > 0) kill(attempt.supervisor, SIGKILL);
}

std::vector<AttemptStatus> SupervisedAttemptRunner::Observe() {
  TakeEvents();
  std::vector<AttemptStatus> statuses;
  for (auto& [key, attempt] : attempts_) {
    if (attempt.forgotten) continue;
    if (!attempt.connection.valid() && attempt.status.phase != AttemptPhase::kExited) {
      Attend(attempt);
    }
    statuses.push_back(attempt.status);
  }
  return statuses;
}

HostUse SupervisedAttemptRunner::Used(const std::string& key) {
  const Attempt* attempt = Find(key);
  return attempt == nullptr ? HostUse{} : isolation_.UsedIn(attempt->cgroups);
}

void SupervisedAttemptRunner::TakeEvents() {
  epoll_event events[kEventsPerTurn];
  int count = kEventsPerTurn;
  while (count == kEventsPerTurn) {
    count = epoll_wait(events_.get(), events, kEventsPerTurn, 0);
    for (int i = 0; i < count; ++i) TakeMessages(*static_cast<Attempt*>(events[i].data.ptr));
  }
}

void SupervisedAttemptRunner::TakeMessages(Attempt& attempt) {
  while (attempt.connection.valid()) {
    ReceivedMessage received;
    const ReceiveOutcome outcome = ReceiveMessage(attempt.connection.get(), received);
    if (outcome == ReceiveOutcome::kNothing) return;
    if (outcome == ReceiveOutcome::kClosed) return OnSupervisorGone(attempt);
    if (auto* report = std::get_if<StatusReport>(&received.message)) {
      TakeStatus(attempt, std::move(report->status));
    } else if (std::holds_alternative<ExecAnswer>(received.message)) {
      attempt.answers.push_back(std::move(received));
    }
  }
}

void SupervisedAttemptRunner::TakeStatus(Attempt& attempt, AttemptStatus status) {
  status.key = attempt.status.key;
  // A supervisor that only buries does not know when the job began.
  if (status.started_at.ns == 0) {
    status.started_at = attempt.status.started_at;
    status.started_boot_ns = attempt.status.started_boot_ns;
  }
  if (status.pid == 0) status.pid = attempt.status.pid;
  if (status.progress == AttemptProgress{}) status.progress = std::move(attempt.status.progress);
  status.launch = std::move(attempt.status.launch);
  attempt.status = std::move(status);
}

// May erase the attempt.
void SupervisedAttemptRunner::OnSupervisorGone(Attempt& attempt) {
  Unwatch(attempt);
  attempt.supervisor = 0;
  if (attempt.forgotten) {
    const std::string key = attempt.status.key;
    RemoveAttempt(attempts_fd_.get(), key);
    attempts_.erase(key);
  } else if (attempt.status.phase != AttemptPhase::kExited) {
    Attend(attempt);
  }
}

Status SupervisedAttemptRunner::Forget(const std::string& key) {
  TakeEvents();
  Attempt* attempt = Find(key);
  if (attempt == nullptr) return Ok();
  if (attempt->status.phase != AttemptPhase::kExited) {
    return Fail(Conflict("attempt " + key + " is still running"));
  }
  GP_CHECK_OK(isolation_.Remove(key, attempt->cgroups));
  attempt->forgotten = true;
  // Its supervisor may still be clearing a large /tmp; the directory is removed after that.
  if (!attempt->connection.valid()) OnSupervisorGone(*attempt);
  return Ok();
}

bool SupervisedAttemptRunner::IsEmpty() {
  TakeEvents();
  return attempts_.empty();
}

Result<ExecStreams> SupervisedAttemptRunner::Exec(const std::string& key, const ExecSpec& spec) {
  TakeEvents();
  Attempt* attempt = Find(key);
  if (attempt == nullptr) return Fail(NotFound("no attempt " + key + " on this host"));
  if (attempt->status.phase == AttemptPhase::kExited || !attempt->connection.valid()) {
    return Fail(Conflict("attempt " + key + " is not running"));
  }
  attempt->answers.clear();  // of execs that timed out
  const uint64_t id = ++execs_;
  Send(*attempt, ExecRequest{.id = id, .spec = spec});
  ReceivedMessage received = GP_TRY(AwaitAnswer(*attempt, id));
  const auto& answer = std::get<ExecAnswer>(received.message);
  if (!answer.error.empty()) return Fail(Conflict(answer.error));
  std::vector<Descriptor>& ends = received.descriptors;
  if (ends.size() != (answer.pty ? 3u : 4u)) {
    return Fail(Internal("the supervisor of " + key + " sent no streams: too many open files?"));
  }
  return ExecStreams{.input = ends[0].Release(),
                     .output = ends[1].Release(),
                     .errors = answer.pty ? -1 : ends[2].Release(),
                     .exit_status = ends.back().Release()};
}

Result<ReceivedMessage> SupervisedAttemptRunner::AwaitAnswer(Attempt& attempt, uint64_t id) {
  while (true) {
    for (ReceivedMessage& received : attempt.answers) {
      if (std::get<ExecAnswer>(received.message).id == id) return std::move(received);
    }
    // Only now: the answer and the end of the connection may have come together.
    if (!attempt.connection.valid())
      return Fail(Conflict("attempt " + attempt.status.key + " ended"));
    pollfd event = {.fd = attempt.connection.get(), .events = POLLIN, .revents = 0};
    if (poll(&event, 1, kExecPatienceMs) == 0) {
      return Fail({ErrorCode::kDeadlineExceeded,
                   "the supervisor of " + attempt.status.key + " did not answer in 10 s"});
    }
    TakeMessages(attempt);
  }
}

}  // namespace gp
