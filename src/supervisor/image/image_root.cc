#include "supervisor/image/image_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/descriptor.h"
#include "files/replace_file.h"
#include "supervisor/image/detached_tree.h"
#include "supervisor/image/device_nodes.h"
#include "supervisor/image/file_access.h"
#include "supervisor/image/mount_points.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr uint64_t kNoPrivileges = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr uint64_t kLookOnly = kNoPrivileges | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY;
// By which names of hosts are resolved, and times of day.
constexpr const char* kFilesOfHost[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/hostname",
                                        "/etc/localtime"};

// A mount to attach inside the image.
struct Source {
  DetachedTree tree;
  std::string to;
  bool is_directory = true;
};

Error Missing(const std::string& path, int error) {
  return InvalidArgument("cannot open " + path + ": " + std::strerror(error));
}

// With the rights of the caller; links of /proc would lead past the rights of directories.
Descriptor OpenPath(const std::string& path, uint64_t flags) {
  open_how how = {};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  return Descriptor(
      static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
}

Descriptor OpenDirectory(const std::string& path) { return OpenPath(path, O_RDONLY | O_DIRECTORY); }

Status MakeAsUser(const std::string& path) {
  for (size_t end = path.find('/', 1); true; end = path.find('/', end + 1)) {
    if (mkdir(path.substr(0, end).c_str(), 0755) != 0 && errno != EEXIST)
      return Fail(InvalidArgument("cannot make " + path + ": " + std::strerror(errno)));
    if (end == std::string::npos) return Ok();
  }
}

// nullopt: it is not there, and need not be.
Result<std::optional<Source>> OpenBind(const HostDirectory& bind) {
  Descriptor directory = OpenDirectory(bind.path);
  if (!directory.valid() && errno == ENOENT && bind.absent == HostDirectory::Absent::kMake) {
    GP_CHECK_OK(MakeAsUser(bind.path));
    directory = OpenDirectory(bind.path);
  }
  if (!directory.valid()) {
    if (bind.absent == HostDirectory::Absent::kSkip) return std::nullopt;
    return Fail(Missing(bind.path, errno));
  }
  return Source{GP_TRY(DetachedTree::Clone(directory.get(), kNoPrivileges, true)), bind.path, true};
}

// What is opened with the rights of the job's user.
Status OpenAsUser(const LaunchSpec& spec, Descriptor& image, std::vector<Source>& sources) {
  const FileAccessOf user({spec.uid, spec.gid, spec.groups});
  if (!user.is_taken()) return Fail(SystemError("cannot act as the job's user", errno));
  image = OpenDirectory(spec.image_directory);
  if (!image.valid()) return Fail(Missing(spec.image_directory, errno));
  for (const HostDirectory& bind : spec.host_directories) {
    std::optional<Source> source = GP_TRY(OpenBind(bind));
    if (source) sources.push_back(std::move(*source));
  }
  return Ok();
}

Status AddFile(const std::string& from, const std::string& to, uint64_t attributes,
               std::vector<Source>& sources) {
  const Descriptor file = OpenPath(from, O_PATH);
  if (!file.valid()) return Fail(SystemError("cannot open " + from, errno));
  sources.push_back({GP_TRY(DetachedTree::Clone(file.get(), attributes, false)), to, false});
  return Ok();
}

std::string_view VariableOf(const LaunchSpec& spec, std::string_view name) {
  for (const std::string_view variable : spec.environment) {
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('='))
      return variable.substr(name.size() + 1);
  }
  return {};
}

// The image's own list of users says nothing of the job's user, whose ids are the host's.
Status AddAccounts(const LaunchSpec& spec, std::vector<Source>& sources) {
  const std::string uid = std::to_string(spec.uid);
  const std::string gid = std::to_string(spec.gid);
  const std::string name(VariableOf(spec, "USER"));
  std::string users = "root:x:0:0:root:/root:/bin/sh\n";
  std::string groups = "root:x:0:\ntty:x:5:\n";
  if (spec.uid != 0 && !name.empty()) {
    users += name + ":x:" + uid + ":" + gid + "::" + std::string(VariableOf(spec, "HOME")) +
             ":/bin/sh\n";
  }
  if (spec.gid != 0 && !name.empty()) groups += name + ":x:" + gid + ":\n";
  const std::string directory = std::string(kRootDirectory) + "/";
  for (const auto& [file, text] : {std::pair("passwd", users), std::pair("group", groups)})
    GP_CHECK_OK(ReplaceFileAt(AT_FDCWD, directory + file, text, 0644, Survives::kCrash));
  GP_CHECK_OK(AddFile(directory + "passwd", "/etc/passwd", kLookOnly, sources));
  return AddFile(directory + "group", "/etc/group", kLookOnly, sources);
}

Status AddDirectory(const char* from, const char* to, uint64_t attributes, bool is_recursive,
                    std::vector<Source>& sources) {
  const Descriptor directory = OpenDirectory(from);
  if (!directory.valid()) return Fail(SystemError(std::string("cannot open ") + from, errno));
  sources.push_back({GP_TRY(DetachedTree::Clone(directory.get(), attributes, is_recursive)), to});
  return Ok();
}

Status MakePrivate(const std::string& name, mode_t mode) {
  if (mkdir(name.c_str(), 0700) != 0 && errno != EEXIST)
    return Fail(SystemError("cannot make the attempt's " + name, errno));
  if (chmod(name.c_str(), mode) != 0)
    return Fail(SystemError("cannot make the attempt's " + name, errno));
  return Ok();
}

// What the platform shows each job, besides what its user asked for.
Status AddOfPlatform(const LaunchSpec& spec, std::vector<Source>& sources) {
  GP_CHECK_OK(AddDirectory("/sys", "/sys", kLookOnly, true, sources));
  GP_CHECK_OK(MakePrivate(kPrivateTmp, 01777));
  GP_CHECK_OK(AddDirectory(kPrivateTmp, "/tmp", kNoPrivileges, false, sources));
  GP_CHECK_OK(AddAccounts(spec, sources));
  for (const char* path : kFilesOfHost) {
    if (access(path, R_OK) == 0) GP_CHECK_OK(AddFile(path, path, kLookOnly, sources));
  }
  // In a private /tmp it is already.
  const bool is_shown = spec.private_tmp && spec.report_pipe.starts_with("/tmp/");
  if (spec.report_pipe.empty() || is_shown) return Ok();
  return AddFile(spec.report_pipe, spec.report_pipe, kNoPrivileges, sources);
}

// The image below, a layer for what the job writes above.
Result<DetachedTree> MakeRoot(const Descriptor& image) {
  const std::string here = kRootDirectory;
  for (const char* layer : {"/upper", "/work"}) GP_CHECK_OK(MakePrivate(here + layer, 0755));
  // The upper layer's own owner and mode are those that the job sees of its root.
  struct stat facts;
  if (fstat(image.get(), &facts) != 0 ||
      chown((here + "/upper").c_str(), facts.st_uid, facts.st_gid) != 0 ||
      chmod((here + "/upper").c_str(), facts.st_mode & 01777) != 0)
    return Fail(SystemError("cannot prepare the image's root", errno));
  // Nothing that the image's owner wrote beside its files may redirect the kernel.
  const DetachedTree::Option options[] = {
      {"lowerdir", "/proc/self/fd/" + std::to_string(image.get())},
      {"upperdir", here + "/upper"},
      {"workdir", here + "/work"},
      {"redirect_dir", "nofollow"},
      {"metacopy", "off"}};
  return DetachedTree::Make("overlay", options, kNoPrivileges);
}

// Leaves the host's root, and all that is mounted there, behind.
Status Pivot(const DetachedTree& root) {
  const std::string at = std::string(kRootDirectory) + "/merged";
  GP_CHECK_OK(MakePrivate(at, 0755));
  GP_CHECK_OK(root.AttachAt(at));
  if (chdir(at.c_str()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
    return Fail(SystemError("cannot enter the image's root (an agent in a chroot cannot)", errno));
  // The old root is mounted over the new one until here.
  if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
    return Fail(SystemError("cannot leave the host's root", errno));
  return Ok();
}

Status Attach(std::vector<Source>& sources) {
  // What is inside another one comes after it.
  std::ranges::stable_sort(sources, {}, [](const Source& source) { return source.to.size(); });
  for (const Source& source : sources) {
    GP_CHECK_OK(source.is_directory ? MakeDirectories(source.to) : MakeMountFile(source.to));
    GP_CHECK_OK(source.tree.AttachAt(source.to));
  }
  return Ok();
}

}  // namespace

Status EnterImageRoot(const LaunchSpec& spec) {
  GP_CHECK_OK(MakePrivate(kRootDirectory, 0711));
  Descriptor image;
  std::vector<Source> sources;
  GP_CHECK_OK(OpenAsUser(spec, image, sources));
  GP_CHECK_OK(AddOfPlatform(spec, sources));
  const std::vector<DeviceNode> nodes = FindDeviceNodes(spec.device_directory, spec.devices);
  const DetachedTree root = GP_TRY(MakeRoot(image));
  GP_CHECK_OK(Pivot(root));
  GP_CHECK_OK(MakeDirectories("/proc"));
  GP_CHECK_OK(MountDevices(nodes, spec.shm_bytes));
  return Attach(sources);
}

}  // namespace gp
