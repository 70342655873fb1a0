#include "adapters/outbound/process/spawn_supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#include "supervisor/attempt_record.h"
#include "supervisor/descriptor.h"
#include "supervisor/inherited.h"

namespace gp {
namespace {

// The descriptors are put in place one by one, so none may lie where another goes.
Descriptor OutOfTheWay(int fd) {
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, kInheritedEnd));
}

void SetActions(posix_spawn_file_actions_t& actions, int agent, int directory, int lock) {
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, 0, 1);
  posix_spawn_file_actions_adddup2(&actions, 0, 2);
  posix_spawn_file_actions_adddup2(&actions, agent, kAgentFd);
  posix_spawn_file_actions_adddup2(&actions, directory, kDirectoryFd);
  posix_spawn_file_actions_adddup2(&actions, lock, kLockFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, kInheritedEnd);
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

}  // namespace

Result<pid_t> SpawnSupervisor(const SupervisorStart& start) {
  const Descriptor agent = OutOfTheWay(start.agent_fd);
  const Descriptor directory = OutOfTheWay(start.directory_fd);
  const Descriptor lock = OutOfTheWay(start.lock_fd);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  SetActions(actions, agent.get(), directory.get(), lock.get());
  SetAttributes(attributes);

  std::string name = "gpu-platform-supervisor";
  std::string key = start.key;
  std::string bury = kBuryArgument;
  char* arguments[] = {name.data(), key.data(), start.bury ? bury.data() : nullptr, nullptr};
  char* environment[] = {nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, start.program.c_str(), &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return pid;
  return Fail(SystemError("cannot start the supervisor " + start.program, error));
}

}  // namespace gp
