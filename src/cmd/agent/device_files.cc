#include "cmd/agent/device_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>

namespace gp {

std::optional<DeviceNumber> DeviceAt(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0 || !S_ISCHR(facts.st_mode)) return std::nullopt;
  return DeviceNumber{static_cast<int>(major(facts.st_rdev)),
                      static_cast<int>(minor(facts.st_rdev))};
}

std::optional<uint32_t> GroupThatOpens(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0 || facts.st_gid == 0) return std::nullopt;
  const bool is_for_all = (facts.st_mode & (S_IROTH | S_IWOTH)) == (S_IROTH | S_IWOTH);
  const bool is_for_group = (facts.st_mode & (S_IRGRP | S_IWGRP)) == (S_IRGRP | S_IWGRP);
  return is_for_group && !is_for_all ? std::optional(facts.st_gid) : std::nullopt;
}

Status MakeSimulatedDevice(const std::string& path, DeviceNumber number, unsigned mode) {
  const dev_t device =
      makedev(static_cast<unsigned>(number.major), static_cast<unsigned>(number.minor));
  if (mknod(path.c_str(), S_IFCHR | mode, device) < 0 && errno != EEXIST)
    return Fail(Unavailable(path + ": " + std::strerror(errno)));
  chmod(path.c_str(), mode);  // whatever the umask
  return Ok();
}

}  // namespace gp
