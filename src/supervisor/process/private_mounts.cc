#include "supervisor/process/private_mounts.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "files/descriptor.h"
#include "supervisor/image/agent_data.h"
#include "supervisor/image/image_root.h"
#include "supervisor/process/host.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

bool MakeSlave() { return mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0; }

// In a chroot to a plain directory, "/" is not a mount point, and the mount that contains it cannot
// be named.  Root leaves the chroot for a moment to name it.
bool MakeSlaveOutside() {
  const Descriptor root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Descriptor here(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid() || !here.valid() || chroot(".") != 0 || fchdir(root.get()) != 0) return false;
  // The former root is above the present one, so ".." leads up to the real root.
  struct stat below = {};
  struct stat above = {};
  do {
    if (stat(".", &below) != 0 || chdir("..") != 0 || stat(".", &above) != 0) return false;
  } while (below.st_ino != above.st_ino || below.st_dev != above.st_dev);
  const bool made = chroot(".") == 0 && MakeSlave();
  return fchdir(root.get()) == 0 && chroot(".") == 0 && fchdir(here.get()) == 0 && made;
}

Status MountTmp() {
  // On disk rather than in memory, because programs write gigabytes there.
  if (mkdir(kPrivateTmp, 0700) != 0 && errno != EEXIST) {
    return Fail(SystemError("cannot make the private /tmp", errno));
  }
  if (chmod(kPrivateTmp, 01777) != 0 ||
      mount(kPrivateTmp, "/tmp", nullptr, MS_BIND, nullptr) != 0 ||
      mount(nullptr, "/tmp", nullptr, MS_REMOUNT | MS_BIND | MS_NODEV | MS_NOSUID, nullptr) != 0) {
    return Fail(SystemError("cannot mount the private /tmp", errno));
  }
  return Ok();
}

Status MountShm(int64_t bytes) {
  const std::string options = "mode=1777,size=" + std::to_string(bytes);
  if (mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return Fail(SystemError("cannot mount /dev/shm of the requested size", errno));
  }
  return Ok();
}

// Additional protection: the job's user cannot write there anyway, but a job of root could.  Best
// effort, because a host may lack the directory.
void ProtectCgroups() {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  mount_setattr(AT_FDCWD, "/sys/fs/cgroup", AT_RECURSIVE, &attributes, sizeof attributes);
}

}  // namespace

Status EnterPrivateMounts(const LaunchSpec& spec, bool& has_own_mounts) {
  const bool has_image = spec.HasImage();
  if (geteuid() != 0)
    return has_image ? Fail(Internal("an image needs an agent that runs as root")) : Ok();
  if (!TheHost().mounts.valid() || !TheHost().root.valid())
    return Fail(Internal("cannot open the host's mounts"));  // hooks could not return to them
  if (unshare(CLONE_NEWNS) != 0) {
    // Root of a container may lack the privilege; mounts that were not requested are then omitted.
    const bool is_bare =
        !spec.private_tmp && spec.shm_bytes == 0 && !has_image && spec.host_directories.empty();
    if (errno == EPERM && is_bare) return Ok();
    return Fail(
        SystemError("cannot make mounts of the job's own (root without CAP_SYS_ADMIN, as in a "
                    "container)",
                    errno));
  }
  has_own_mounts = true;
  // Later mounts of the host still appear here; ours never appear on the host.
  if (!MakeSlave() && (errno != EINVAL || !MakeSlaveOutside())) {
    return Fail(SystemError("cannot detach from the host's mounts", errno));
  }
  if (has_image) return EnterImageRoot(spec);
  // The private /tmp may hide the directory of the agent.
  const AgentData data = GP_TRY(AgentData::Open(spec));
  if (spec.private_tmp) GP_CHECK_OK(MountTmp());
  if (spec.shm_bytes > 0) GP_CHECK_OK(MountShm(spec.shm_bytes));
  GP_CHECK_OK(data.Show(spec.private_tmp));
  ProtectCgroups();
  return Ok();
}

}  // namespace gp
