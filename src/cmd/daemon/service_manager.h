#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Whoever started this program as a service and waits until it serves: systemd with Type=notify.
class ServiceManager {
 public:
  // Takes the manager's socket from NOTIFY_SOCKET, which processes started from here do not
  // inherit.  REQUIRES: no other thread runs yet.
  ServiceManager();

  // The service is up.  kInternal: the manager does not hear it.  Nothing happens without a
  // manager.
  Status SayReady() const;

 private:
  std::string socket_;
};

}  // namespace gp
