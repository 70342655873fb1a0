#include "adapters/outbound/process/supervisor_fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "supervisor/records/attempt_record.h"
#include "supervisor/records/packet.h"

namespace gp {
namespace {

// The agent is blocked meanwhile, so this is well below the lease time.
constexpr int kPatienceMs = 1'500;
constexpr int kReapTries = 200;
constexpr int kReapPauseUs = 1'000;
// Space for the name and key that a supervisor shows as its command line.
constexpr size_t kTitleRoom = 160;

void SetActions(posix_spawn_file_actions_t& actions, int conversation) {
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_adddup2(&actions, 0, 2);
  posix_spawn_file_actions_adddup2(&actions, conversation, kForkServerFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kForkServerFd + 1);
}

void SetAttributes(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
}

// Does not copy this process: forking a large agent is slow.
Result<pid_t> Spawn(const std::string& program, int conversation) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  SetActions(actions, conversation);
  SetAttributes(attributes);
  std::string name = "gpu-platform-nursery";
  std::string room(kTitleRoom, ' ');
  char* arguments[] = {name.data(), room.data(), nullptr};
  char* environment[] = {nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return pid;
  return Fail(SystemError("cannot start the supervisor " + program, error));
}

}  // namespace

SupervisorForkServer::~SupervisorForkServer() { Close(); }

Result<pid_t> SupervisorForkServer::StartSupervisor(const Spawning& order) {
  if (conversation_.valid() && Send(order)) return AwaitAnswer();
  Close();  // it has died
  GP_CHECK_OK(Open());
  if (Send(order)) return AwaitAnswer();
  return Fail(Internal("the fork server of supervisors accepts no requests"));
}

Status SupervisorForkServer::Open() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(SystemError("cannot make a socket pair", errno));
  }
  Descriptor ours(ends[0]);
  const Descriptor low(ends[1]);
  // dup2 onto itself would keep close-on-exec.
  const Descriptor theirs(fcntl(low.get(), F_DUPFD_CLOEXEC, kForkServerFd + 1));
  pid_ = GP_TRY(Spawn(program_, theirs.get()));
  conversation_ = std::move(ours);
  return Ok();
}

void SupervisorForkServer::Close() {
  if (!conversation_.valid()) return;
  conversation_.Reset();  // the fork server ends when its connection closes
  kill(pid_, SIGKILL);    // in case it hangs
  // A process that the kernel does not release is left to it.
  for (int i = 0; i < kReapTries && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) usleep(kReapPauseUs);
}

bool SupervisorForkServer::Send(const Spawning& order) {
  std::vector<int> descriptors{order.agent_fd, order.directory_fd, order.lock_fd};
  if (order.secrets_fd >= 0) descriptors.push_back(order.secrets_fd);
  return SendPacket(conversation_.get(), EncodeSpawnRequest(order.request), descriptors) ==
         SendOutcome::kSent;
}

Result<pid_t> SupervisorForkServer::AwaitAnswer() {
  pollfd event = {.fd = conversation_.get(), .events = POLLIN, .revents = 0};
  Packet answer;
  if (poll(&event, 1, kPatienceMs) != 1 ||
      ReceivePacket(conversation_.get(), Patience::kNone, answer) != ReceiveOutcome::kMessage) {
    Close();  // it will not start what it has not started by now
    return pid_t{0};
  }
  const long pid = std::strtol(answer.bytes.c_str(), nullptr, 10);
  if (pid > 0) return static_cast<pid_t>(pid);
  return Fail(SystemError("cannot start a supervisor", static_cast<int>(-pid)));
}

}  // namespace gp
