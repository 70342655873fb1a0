#include "supervisor/process/private_network.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

#include "files/descriptor.h"
#include "supervisor/process/host.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

// Programs reach their own servers as 127.0.0.1.
Status RaiseLoopback() {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback = {.ifr_ifrn = {.ifrn_name = "lo"}, .ifr_ifru = {.ifru_flags = IFF_UP}};
  if (any.valid() && ioctl(any.get(), SIOCSIFFLAGS, &loopback) == 0) return Ok();
  return Fail(SystemError("cannot start the job's loopback interface", errno));
}

}  // namespace

Status EnterPrivateNetwork(bool& has_own_network) {
  if (!TheHost().network.valid())
    return Fail(Internal("this kernel has no network namespaces"));  // hooks could not return
  if (unshare(CLONE_NEWNET) != 0)
    return Fail(SystemError("cannot separate the job from the network", errno));
  has_own_network = true;
  return RaiseLoopback();
}

}  // namespace gp
