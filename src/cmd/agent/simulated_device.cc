#include "cmd/agent/simulated_device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>

namespace gp {

Status MakeSimulatedDevice(const std::string& path, DeviceNumber number, unsigned mode) {
  const dev_t device =
      makedev(static_cast<unsigned>(number.major), static_cast<unsigned>(number.minor));
  if (mknod(path.c_str(), S_IFCHR | mode, device) < 0 && errno != EEXIST)
    return Fail(Unavailable(path + ": " + std::strerror(errno)));
  chmod(path.c_str(), mode);  // whatever the umask
  return Ok();
}

}  // namespace gp
