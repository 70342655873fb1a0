#include "supervisor/image/open_as_user.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/paths.h"
#include "base/text.h"
#include "supervisor/deadline_timer.h"
#include "supervisor/image/agent_data.h"
#include "supervisor/process/child_process.h"
#include "supervisor/process/host.h"
#include "supervisor/records/attempt_record.h"
#include "supervisor/records/packet.h"

namespace gp {
namespace {

using Absent = HostDirectory::Absent;

constexpr int kOpenMaxMs = 30'000;
constexpr int kTries = 100;
constexpr const char* kSkipped = "-";
constexpr const char* kOpened = "=";
// File systems in which the kernel shows itself; a second one would show more than the job's own.
constexpr decltype(statfs::f_type) kOfKernel[] = {PROC_SUPER_MAGIC,
                                                  SYSFS_MAGIC,
                                                  CGROUP_SUPER_MAGIC,
                                                  CGROUP2_SUPER_MAGIC,
                                                  DEVPTS_SUPER_MAGIC,
                                                  DEBUGFS_MAGIC,
                                                  TRACEFS_MAGIC,
                                                  SECURITYFS_MAGIC,
                                                  BPF_FS_MAGIC,
                                                  NSFS_MAGIC,
                                                  SELINUX_MAGIC,
                                                  BINFMTFS_MAGIC,
                                                  PSTOREFS_MAGIC,
                                                  EFIVARFS_MAGIC,
                                                  HUGETLBFS_MAGIC,
                                                  0x19800202 /* mqueue */,
                                                  0x62656570 /* configfs */,
                                                  0x65735543 /* fusectl */};
// File systems of the host in memory whose like each attempt has of its own.
constexpr const char* kOfHost[] = {"/dev", "/dev/shm", "/dev/mqueue"};

// Shown by the platform itself, whatever a job names.
constexpr const char* kOfPlatform[] = {"/dev", "/proc", "/sys"};

// Links of /proc would lead past the rights of directories.
Descriptor OpenDirectoryAt(int at, const std::string& path, uint64_t flags, uint64_t resolve = 0) {
  open_how how = {};
  how.flags = flags | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS | resolve;
  return Descriptor(static_cast<int>(syscall(SYS_openat2, at, path.c_str(), &how, sizeof how)));
}

// No link below the prefix leads out of it.
Descriptor OpenInPrefix(const std::string& prefix, const std::string& path) {
  const Descriptor above = OpenDirectoryAt(AT_FDCWD, prefix, O_PATH);
  if (!above.valid()) return {};
  std::string rest = ".";
  for (const std::string_view word : WordsBelow(prefix, path)) rest.append("/").append(word);
  Descriptor opened;
  // Where somebody renames directories meanwhile, the kernel asks to try again.
  for (int i = 0; i < kTries && !opened.valid() && (i == 0 || errno == EAGAIN); ++i)
    opened = OpenDirectoryAt(above.get(), rest, O_PATH, RESOLVE_BENEATH);
  return opened;
}

bool MakeWithParents(const std::string& path) {
  for (size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    if (mkdir(path.substr(0, end).c_str(), 0755) != 0 && errno != EEXIST) return false;
    if (end == std::string::npos) return true;
  }
}

// The child's part.  An answer is kOpened with a descriptor, kSkipped, or a Blame and the reason.
class Opener {
 public:
  explicit Opener(int socket) : socket_(socket) {}

  [[noreturn]] void Run(const LaunchSpec& spec) {
    if (setgroups(spec.groups.size(), spec.groups.data()) != 0 ||
        setresgid(spec.gid, spec.gid, spec.gid) != 0 ||
        setresuid(spec.uid, spec.uid, spec.uid) != 0)
      Refuse("cannot act as the job's user", errno, Blame::kPlatform);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // the change of ids clears it
    if (!spec.image_directory.empty()) OpenImage(spec.image_directory);
    for (const HostDirectory& one : spec.host_directories) {
      if (one.is_of_agent) continue;
      if (one.is_requested && !spec.mount_prefixes.empty()) {
        OpenRequested(one.path, spec.mount_prefixes);
      } else {
        Open(one);
      }
    }
    _exit(0);
  }

 private:
  void OpenImage(const std::string& path) {
    const Descriptor image = OpenDirectoryAt(AT_FDCWD, path, O_RDONLY);
    if (!image.valid()) Refuse("cannot open " + path, errno);
    Answer(kOpened, {image.get()});
  }
  void Open(const HostDirectory& one) {
    Descriptor directory = OpenDirectoryAt(AT_FDCWD, one.path, O_PATH);
    if (!directory.valid() && errno == ENOENT && one.absent == Absent::kMake) {
      if (!MakeWithParents(one.path)) Refuse("cannot make " + one.path, errno);
      directory = OpenDirectoryAt(AT_FDCWD, one.path, O_PATH);
    }
    if (directory.valid()) return Answer(kOpened, {directory.get()});
    const bool is_absent = errno == ENOENT || errno == ENOTDIR;
    if (one.absent != Absent::kSkip || !is_absent) Refuse("cannot open " + one.path, errno);
    Answer(kSkipped, {});
  }
  void OpenRequested(const std::string& path, const std::vector<std::string>& prefixes) {
    const std::string* nearest = nullptr;
    for (const std::string& one : prefixes) {
      const bool is_nearer = nearest == nullptr || one.size() > nearest->size();
      if (IsAtOrBelow(one, path) && is_nearer) nearest = &one;
    }
    if (nearest == nullptr)
      Refuse("this node does not show " + path + " to jobs, only directories in " +
             Join(prefixes, ", "));
    const Descriptor directory = OpenInPrefix(*nearest, path);
    if (!directory.valid() && errno == EXDEV)
      Refuse("a link in " + path + " is absolute, or leads out of " + *nearest);
    if (!directory.valid()) Refuse("cannot open " + path, errno);
    Answer(kOpened, {directory.get()});
  }
  [[noreturn]] void Refuse(const std::string& why) {
    Answer(static_cast<char>(Blame::kJob) + why, {});
    _exit(1);
  }
  [[noreturn]] void Refuse(const std::string& what, int error) {
    Refuse(what, error, BlameFor(error));
  }
  [[noreturn]] void Refuse(const std::string& what, int error, Blame blame) {
    Answer(static_cast<char>(blame) + what + ": " + std::strerror(error), {});
    _exit(1);
  }
  void Answer(const std::string& text, const std::vector<int>& descriptors) {
    if (SendPacket(socket_, text, descriptors) != SendOutcome::kSent) _exit(1);
  }

  const int socket_;
};

Result<Packet> NextAnswer(int socket, int64_t deadline_boot_ns) {
  pollfd event = {.fd = socket, .events = POLLIN, .revents = 0};
  const int64_t left_ms = std::max<int64_t>((deadline_boot_ns - BootNs()) / 1'000'000, 0);
  Packet packet;
  if (poll(&event, 1, static_cast<int>(left_ms)) <= 0)
    return Fail(
        Internal("a directory of the job cannot be opened: its file server does not answer"));
  if (ReceivePacket(socket, Patience::kNone, packet) != ReceiveOutcome::kMessage)
    return Fail(Internal("the process that opens the job's directories was killed"));
  if (packet.bytes == kSkipped) return packet;
  if (packet.bytes == kOpened && packet.descriptors.size() == 1) return packet;
  const bool of_job = packet.bytes.starts_with(static_cast<char>(Blame::kJob));
  const std::string why = packet.bytes.empty() ? "" : packet.bytes.substr(1);
  return Fail(of_job ? InvalidArgument(why) : Internal(why));
}

// The root would bring back all that an image hides; the kernel's own would show other jobs.
Status CheckShown(const std::string& path, const Descriptor& directory) {
  struct statfs system = {};
  struct stat facts = {};
  struct stat root = {};
  if (fstatfs(directory.get(), &system) != 0 || fstat(directory.get(), &facts) != 0 ||
      fstat(TheHost().root.get(), &root) != 0)
    return Fail(SystemError("cannot look at " + path, errno));
  const bool is_covered =
      std::ranges::any_of(kOfPlatform, [&](const char* own) { return PathsOverlap(own, path); });
  const bool is_of_host = std::ranges::any_of(kOfHost, [&](const char* own) {
    struct stat device = {};
    return stat(own, &device) == 0 && device.st_dev != root.st_dev && device.st_dev == facts.st_dev;
  });
  const bool is_root = facts.st_dev == root.st_dev && facts.st_ino == root.st_ino;
  const bool is_of_kernel = std::ranges::find(kOfKernel, system.f_type) != std::end(kOfKernel);
  if (!is_root && !is_of_kernel && !is_covered && !is_of_host) return Ok();
  return Fail(InvalidArgument("a job in an image cannot have " + path +
                              (is_root ? ": it is the host's root" : ": it is the kernel's")));
}

Result<OpenedAsUser> Collect(const LaunchSpec& spec, int socket) {
  const int64_t deadline = BootNs() + int64_t{kOpenMaxMs} * 1'000'000;
  OpenedAsUser opened;
  if (!spec.image_directory.empty()) {
    Packet image = GP_TRY(NextAnswer(socket, deadline));
    if (image.descriptors.empty()) return Fail(Internal("the image was not opened"));
    GP_CHECK_OK(CheckShown(spec.image_directory, image.descriptors[0]));
    opened.image = std::move(image.descriptors[0]);
  }
  for (const HostDirectory& one : spec.host_directories) {
    if (one.is_of_agent) {
      opened.shown.push_back({one.at, GP_TRY(OpenOfAgent(one.path)), one.read_only, false});
      continue;
    }
    Packet answer = GP_TRY(NextAnswer(socket, deadline));
    if (answer.descriptors.empty()) continue;
    GP_CHECK_OK(CheckShown(one.path, answer.descriptors[0]));
    const bool is_itself = !one.read_only && (one.at.empty() || one.at == one.path);
    opened.shown.push_back({one.at.empty() ? one.path : one.at, std::move(answer.descriptors[0]),
                            one.read_only, is_itself});
  }
  return opened;
}

// Waits a second at most: one that a file server holds is reaped when it lets go.
void End(pid_t child) {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  kill(child, SIGKILL);
  for (int i = 0; i < 1'000 && waitpid(child, nullptr, WNOHANG) == 0; ++i)
    nanosleep(&kPause, nullptr);
}

}  // namespace

Result<OpenedAsUser> OpenAsUser(const LaunchSpec& spec) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Fail(SystemError("cannot make a socket", errno));
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t child = fork();
  if (child < 0) return Fail(SystemError("cannot start a process", errno));
  if (child == 0) Opener(theirs.get()).Run(spec);
  theirs.Reset();
  Result<OpenedAsUser> opened = Collect(spec, ours.get());
  End(child);
  return opened;
}

}  // namespace gp
