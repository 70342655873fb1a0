#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/machine/doctor_checks.h"

namespace gp {
namespace {

enum MissingForImages { kNothing, kNamespaces, kDetachedMounts, kOverlay };

int MountDetached(int context) {
  return fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0
             ? fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
             : -1;
}

// Does in namespaces of its own what the supervisor of a job in an image does.
MissingForImages TryImage() {
  if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0) return kNamespaces;
  const int memory = MountDetached(fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (memory < 0 || fchdir(memory) != 0) return kDetachedMounts;
  const int layers = fsopen("overlay", FSOPEN_CLOEXEC);
  const bool is_mounted = mkdir("upper", 0755) == 0 && mkdir("work", 0755) == 0 &&
                          fsconfig(layers, FSCONFIG_SET_STRING, "lowerdir", "/", 0) == 0 &&
                          fsconfig(layers, FSCONFIG_SET_STRING, "upperdir", "upper", 0) == 0 &&
                          fsconfig(layers, FSCONFIG_SET_STRING, "workdir", "work", 0) == 0 &&
                          MountDetached(layers) >= 0;
  return is_mounted ? kNothing : kOverlay;
}

}  // namespace

DoctorCheck CheckImages() {
  const pid_t child = fork();
  if (child == 0) _exit(TryImage());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) status = -1;
  const int missing = WIFEXITED(status) ? WEXITSTATUS(status) : kNamespaces;
  if (missing == kNothing) return {"images", Finding::kOk, "jobs may have images", ""};
  const std::string what = missing == kNamespaces       ? "namespaces of mounts and processes"
                           : missing == kDetachedMounts ? "mounts as Linux 5.12 has them"
                                                        : "overlay file systems";
  return {"images", Finding::kWarn, "jobs cannot have images: " + what + " are refused",
          "run the agent as root of the machine, on Linux 5.12 or newer with the module overlay"};
}

}  // namespace gp
