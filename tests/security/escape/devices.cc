// Reaching a device node that was not granted, by every name and from every kind of process.

#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>

#include "tests/security/escape/escape.h"

namespace gp::escape {
namespace {

Outcome OpenThroughSymlink(const Target& target) {
  const std::string name = target.nodes + "/open/symlink";
  if (symlink(target.node.c_str(), name.c_str()) != 0) return Held("symlink: " + ErrnoText(errno));
  return OpenNode(name);
}

Outcome OpenThroughSymlinkedDirectory(const Target& target) {
  const std::string name = target.nodes + "/open/dev";
  if (symlink(target.nodes.c_str(), name.c_str()) != 0) return Held("symlink: " + ErrnoText(errno));
  return OpenNode(name + "/gpu1");
}

Outcome OpenThroughHardLink(const Target& target) {
  const std::string name = target.nodes + "/open/hard-link";
  if (link(target.node.c_str(), name.c_str()) != 0) return Held("link: " + ErrnoText(errno));
  return OpenNode(name);
}

Outcome RenameOverGranted(const Target& target) {
  const std::string name = target.nodes + "/open/renamed";
  if (rename(target.node.c_str(), name.c_str()) != 0) return Held("rename: " + ErrnoText(errno));
  return OpenNode(name);
}

Outcome ReopenPathDescriptor(const Target& target) {
  const int fd = open(target.node.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return Held("O_PATH: " + ErrnoText(errno));
  return OpenNode("/proc/self/fd/" + std::to_string(fd));
}

Outcome OpenThroughProcRoot(const Target& target) {
  return OpenNode("/proc/self/root" + target.node);
}

Outcome OpenThroughProcCwd(const Target& target) {
  if (chdir(target.nodes.c_str()) != 0) return Held("chdir");
  return OpenNode("/proc/thread-self/cwd/gpu1");
}

Outcome OpenWithOpenat2(const Target& target) {
  open_how how = {};
  how.flags = O_RDWR | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return NotOpened(
      static_cast<int>(syscall(SYS_openat2, AT_FDCWD, target.node.c_str(), &how, sizeof how)));
}

Outcome OpenInDaemon(const Target& target) {
  return InChild([&] {
    return InChild([&] {
      setsid();
      return OpenNode(target.node);
    });
  });
}

// A sibling instead of a child: the supervisor becomes its parent.
Outcome OpenInSibling(const Target& target) {
  int* shared = static_cast<int*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    const int fd = open(target.node.c_str(), O_RDWR);
    *shared = fd >= 0 ? -1 : errno;
    _exit(0);
  }
  for (int i = 0; i < 2000 && *shared == 0; ++i) usleep(1000);
  errno = *shared;
  return NotOpened(*shared == -1 ? 0 : -1);
}

Outcome OpenAfterCudaTricks(const Target& target) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  setenv("NVIDIA_VISIBLE_DEVICES", "all", 1);
  setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7", 1);
  return OpenNode(target.node);
}

Outcome OpenWithPersonality(const Target& target) {
  (void)!chmod(target.node.c_str(), 0777);
  return OpenNode(target.node, O_RDWR | O_NONBLOCK | O_NOCTTY | O_SYNC | O_DIRECT);
}

struct Ring {
  int fd = -1;
  io_uring_params parameters = {};
};

// One submission by hand: open `path`, wait, take the result.
int OpenByRing(const std::string& path, unsigned setup_flags) {
  Ring ring;
  ring.parameters.flags = setup_flags;
  ring.fd = static_cast<int>(syscall(SYS_io_uring_setup, 4, &ring.parameters));
  if (ring.fd < 0) return -errno;
  const auto& sq = ring.parameters.sq_off;
  const auto& cq = ring.parameters.cq_off;
  const size_t size = cq.cqes + ring.parameters.cq_entries * sizeof(io_uring_cqe) + 4096;
  auto* queue = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQ_RING));
  auto* entries =
      static_cast<io_uring_sqe*>(mmap(nullptr, 4 * sizeof(io_uring_sqe), PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_POPULATE, ring.fd, IORING_OFF_SQES));
  if (queue == MAP_FAILED || entries == MAP_FAILED) return -ENOSYS;
  entries[0] = {};
  entries[0].opcode = IORING_OP_OPENAT;
  entries[0].flags = IOSQE_ASYNC;  // by a kernel worker thread
  entries[0].fd = AT_FDCWD;
  entries[0].addr = reinterpret_cast<uint64_t>(path.c_str());
  entries[0].open_flags = O_RDWR;
  reinterpret_cast<unsigned*>(queue + sq.array)[0] = 0;
  __atomic_store_n(reinterpret_cast<unsigned*>(queue + sq.tail), 1u, __ATOMIC_RELEASE);
  syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_SQ_WAKEUP,
          nullptr, 0);
  const auto* tail = reinterpret_cast<unsigned*>(queue + cq.tail);
  for (int i = 0; i < 2000 && __atomic_load_n(tail, __ATOMIC_ACQUIRE) == 0; ++i) usleep(1000);
  if (__atomic_load_n(tail, __ATOMIC_ACQUIRE) == 0) return -ETIME;
  return reinterpret_cast<io_uring_cqe*>(queue + cq.cqes)[0].res;
}

Outcome FromRing(int result) {
  errno = result < 0 ? -result : 0;
  return NotOpened(result < 0 ? -1 : result);
}

Outcome ExecHelper(const Target& target, const char* helper) {
  const std::string path = target.nodes + "/" + helper;
  const pid_t child = fork();
  if (child == 0) {
    execl(path.c_str(), "escape", "--open", target.node.c_str(), nullptr);
    _exit(100);
  }
  int status = 0;
  waitpid(child, &status, 0);
  // The helper's exit code is the errno of its open, 0 for an open node.
  errno = WEXITSTATUS(status);
  if (errno == 100) return Held("exec refused");
  return NotOpened(errno == 0 ? 0 : -1);
}

Outcome Mknod(mode_t type, int major_number, int minor_number) {
  return Refused(mknod("/tmp/node", type | 0666, makedev(major_number, minor_number)));
}

const std::array kCases = {
    Case{"open for reading and writing", [](const Target& t) { return OpenNode(t.node); }},
    Case{"open for reading", [](const Target& t) { return OpenNode(t.node, O_RDONLY); }},
    Case{"open for writing", [](const Target& t) { return OpenNode(t.node, O_WRONLY); }},
    Case{"open with odd flags", OpenWithPersonality},
    Case{"openat2", OpenWithOpenat2},
    Case{"open by io_uring worker",
         [](const Target& t) { return FromRing(OpenByRing(t.node, 0)); }},
    Case{"open by io_uring kernel thread",
         [](const Target& t) { return FromRing(OpenByRing(t.node, IORING_SETUP_SQPOLL)); }},
    Case{"symbolic link to the node", OpenThroughSymlink},
    Case{"symbolic link to /dev", OpenThroughSymlinkedDirectory},
    Case{"hard link to the node", OpenThroughHardLink},
    Case{"rename of the node", RenameOverGranted},
    Case{"reopen O_PATH by /proc/self/fd", ReopenPathDescriptor},
    Case{"open by /proc/self/root", OpenThroughProcRoot},
    Case{"open by /proc/thread-self/cwd", OpenThroughProcCwd},
    Case{"open in a daemon", OpenInDaemon},
    Case{"open in a sibling (CLONE_PARENT)", OpenInSibling},
    Case{"CUDA_VISIBLE_DEVICES tricks", OpenAfterCudaTricks},
    Case{"GPU of another simulated node",
         [](const Target& t) { return OpenNode(t.nodes + "/gpu16"); }},
    Case{"nvidia-uvm not granted", [](const Target& t) { return OpenNode(t.nodes + "/uvm"); }},
    Case{"MIG capability not granted", [](const Target& t) { return OpenNode(t.nodes + "/cap"); }},
    Case{"open /dev/mem", [](const Target& t) { return OpenNode(t.nodes + "/mem"); }},
    Case{"open /dev/kmsg", [](const Target& t) { return OpenNode(t.nodes + "/kmsg"); }},
    Case{"open /dev/fuse", [](const Target& t) { return OpenNode(t.nodes + "/fuse"); }},
    Case{"open the root disk", [](const Target& t) { return OpenNode(t.nodes + "/disk"); }},
    Case{"setuid program", [](const Target& t) { return ExecHelper(t, "setuid-helper"); }},
    Case{"program with capabilities",
         [](const Target& t) { return ExecHelper(t, "capable-helper"); }},
    Case{"mknod of the granted GPU", [](const Target&) { return Mknod(S_IFCHR, 195, 0); }},
    Case{"mknod of another GPU", [](const Target&) { return Mknod(S_IFCHR, 195, 1); }},
    Case{"mknod of a disk", [](const Target&) { return Mknod(S_IFBLK, 254, 0); }},
};

}  // namespace

std::span<const Case> DeviceCases() { return kCases; }

}  // namespace gp::escape
