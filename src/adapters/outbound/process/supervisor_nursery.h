#pragma once

// The agent's side of the nursery (supervisor/nursery.h): supervisors on request.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "supervisor/birth.h"
#include "supervisor/descriptor.h"

namespace gp {

class SupervisorNursery {
 public:
  SupervisorNursery() = default;
  explicit SupervisorNursery(std::string program) : program_(std::move(program)) {}
  SupervisorNursery(SupervisorNursery&&) = default;
  SupervisorNursery& operator=(SupervisorNursery&&) = default;
  ~SupervisorNursery();

  struct Order {
    BirthRequest request;
    int agent_fd = -1;      // the supervisor's end of the conversation with us
    int directory_fd = -1;  // of the attempt
    int lock_fd = -1;       // the locked launch file
  };
  // A supervisor, detached: no child of ours, session and signals of its own, nothing inherited but
  // the three descriptors.  Starts the nursery when there is none, or none any longer.
  Result<pid_t> Bear(const Order& order);

 private:
  Status Open();
  void Close();
  Result<pid_t> Ask(const Order& order);

  std::string program_;
  Descriptor conversation_;
  pid_t pid_ = 0;
};

}  // namespace gp
