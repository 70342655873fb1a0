#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "files/descriptor.h"
#include "supervisor/records/spawn_request.h"

namespace gp {

// The agent's side of the fork server (supervisor/process/fork_server.h): starts supervisors on
// request. One thread uses it.
class SupervisorForkServer {
 public:
  SupervisorForkServer() = default;
  explicit SupervisorForkServer(std::string program) : program_(std::move(program)) {}
  SupervisorForkServer(SupervisorForkServer&&) = default;
  SupervisorForkServer& operator=(SupervisorForkServer&&) = default;
  ~SupervisorForkServer();

  struct Spawning {
    SpawnRequest request;
    int agent_fd = -1;      // the supervisor's end of its connection to the agent
    int directory_fd = -1;  // of the attempt
    int lock_fd = -1;       // the locked launch file
    int secrets_fd = -1;    // -1: it has none
  };
  // Starts a detached supervisor: it is not a child of the agent, has its own session and signals,
  // and inherits only these descriptors.  Starts the fork server if it is not running.
  // 0: the request was sent, and no answer came in time.  The supervisor may run; its connection
  // shows whether, by a message or by its end.  A request that was sent is never repeated: two
  // supervisors would run the job twice.
  Result<pid_t> StartSupervisor(const Spawning& order);

 private:
  Status Open();
  void Close();
  bool Send(const Spawning& order);
  Result<pid_t> AwaitAnswer();

  std::string program_;
  Descriptor conversation_;
  pid_t pid_ = 0;
};

}  // namespace gp
