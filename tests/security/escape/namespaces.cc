// A new namespace makes its creator root inside.  It must be worth nothing outside.

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

constexpr int kAll = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP;
constexpr const char* kNoNamespace = "user namespaces refused";

Outcome AsNamespaceRoot(int others, const std::function<Outcome()>& attempt) {
  if (!EnterUserNamespace(others)) return Held(kNoNamespace);
  return attempt();
}

Outcome MknodOnTmpfs() {
  if (mount("tmpfs", "/tmp", "tmpfs", 0, nullptr) != 0) return Held("mount: " + ErrnoText(errno));
  if (mknod("/tmp/node", S_IFCHR | 0666, makedev(195, 1)) != 0) {
    return Held("mknod: " + ErrnoText(errno));
  }
  return OpenNode("/tmp/node");
}

Outcome OpenBindMounted(const Target& target) {
  const std::string place = target.nodes + "/open";
  if (mount(target.nodes.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return Held("mount: " + ErrnoText(errno));
  }
  return OpenNode(place + "/gpu1");
}

Outcome OpenInChroot(const Target& target) {
  if (chroot(target.nodes.c_str()) != 0) return Held("chroot: " + ErrnoText(errno));
  return OpenNode("/gpu1");
}

Outcome UnmountPrivateTmp() {
  if (umount2("/tmp", MNT_DETACH) != 0) return Held(ErrnoText(errno));
  return Escaped("the host's /tmp appeared");
}

Outcome RemountCgroupsAndLeave() {
  const std::string mount_point = CgroupMount("");
  if (mount(nullptr, mount_point.c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr) != 0) {
    return Held("remount: " + ErrnoText(errno));
  }
  return WriteFile(mount_point + "/cgroup.procs", "0");
}

Outcome MountCgroupsAndLeave() {
  (void)!mkdir("/tmp/cgroup", 0777);
  if (mount("cgroup2", "/tmp/cgroup", "cgroup2", 0, nullptr) != 0) {
    return Held("mount: " + ErrnoText(errno));
  }
  return WriteFile("/tmp/cgroup/../cgroup/cgroup.procs", "0");
}

Outcome MountFileSystem(const char* type) {
  (void)!mkdir("/tmp/mounted", 0777);
  return Refused(mount("none", "/tmp/mounted", type, 0, nullptr));
}

Outcome JoinNamespace(pid_t pid, const char* name, int type) {
  const std::string path = "/proc/" + std::to_string(pid) + "/ns/" + name;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Held("open: " + ErrnoText(errno));
  return Refused(setns(fd, type));
}

Outcome OpenNested(const Target& target) {
  if (!EnterUserNamespace(kAll) || !EnterUserNamespace(CLONE_NEWNS)) return Held(kNoNamespace);
  return OpenNode(target.node);
}

const std::array kCases = {
    Case{"user namespace, open",
         [](const Target& t) { return AsNamespaceRoot(0, [&] { return OpenNode(t.node); }); }},
    Case{"all namespaces, open",
         [](const Target& t) { return AsNamespaceRoot(kAll, [&] { return OpenNode(t.node); }); }},
    Case{"nested user namespaces, open", OpenNested},
    Case{"user namespace, mknod",
         [](const Target&) {
           return AsNamespaceRoot(CLONE_NEWNS, [] {
             return Refused(mknod("/tmp/node", S_IFCHR | 0666, makedev(195, 1)));
           });
         }},
    Case{"user namespace, mknod on a tmpfs of its own",
         [](const Target&) { return AsNamespaceRoot(CLONE_NEWNS, MknodOnTmpfs); }},
    Case{"user namespace, bind mount of the nodes",
         [](const Target& t) {
           return AsNamespaceRoot(CLONE_NEWNS, [&] { return OpenBindMounted(t); });
         }},
    Case{"user namespace, chroot to the nodes",
         [](const Target& t) {
           return AsNamespaceRoot(CLONE_NEWNS, [&] { return OpenInChroot(t); });
         }},
    Case{"user namespace, mount of devtmpfs",
         [](const Target&) {
           return AsNamespaceRoot(CLONE_NEWNS, [] { return MountFileSystem("devtmpfs"); });
         }},
    Case{"user namespace, unmount of the private /tmp",
         [](const Target&) { return AsNamespaceRoot(CLONE_NEWNS, UnmountPrivateTmp); }},
    Case{"user namespace, cgroups remounted for writing",
         [](const Target&) { return AsNamespaceRoot(CLONE_NEWNS, RemountCgroupsAndLeave); }},
    Case{"cgroup namespace, cgroups mounted again",
         [](const Target&) {
           return AsNamespaceRoot(CLONE_NEWNS | CLONE_NEWCGROUP, MountCgroupsAndLeave);
         }},
    Case{"mount namespace without user namespace",
         [](const Target&) { return Refused(unshare(CLONE_NEWNS)); }},
    Case{"mount", [](const Target&) { return MountFileSystem("tmpfs"); }},
    Case{"unmount of the private /tmp", [](const Target&) { return UnmountPrivateTmp(); }},
    Case{"chroot", [](const Target& t) { return OpenInChroot(t); }},
    Case{"pivot_root",
         [](const Target&) { return Refused(syscall(SYS_pivot_root, "/tmp", "/tmp")); }},
    Case{"mount namespace of the supervisor",
         [](const Target& t) { return JoinNamespace(t.supervisor, "mnt", CLONE_NEWNS); }},
    Case{"mount namespace of init",
         [](const Target&) { return JoinNamespace(1, "mnt", CLONE_NEWNS); }},
    Case{"process namespace of init",
         [](const Target&) { return JoinNamespace(1, "pid", CLONE_NEWPID); }},
};

}  // namespace

std::span<const Case> NamespaceCases() { return kCases; }

}  // namespace gp::escape
