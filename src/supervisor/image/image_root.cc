#include "supervisor/image/image_root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "base/paths.h"
#include "files/descriptor.h"
#include "files/replace_file.h"
#include "supervisor/image/agent_data.h"
#include "supervisor/image/detached_tree.h"
#include "supervisor/image/device_nodes.h"
#include "supervisor/image/driver_view.h"
#include "supervisor/image/mount_points.h"
#include "supervisor/image/open_as_user.h"
#include "supervisor/process/child_process.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr uint64_t kNoPrivileges = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr uint64_t kReadOnly = kNoPrivileges | MOUNT_ATTR_RDONLY;
constexpr uint64_t kLookOnly = kReadOnly | MOUNT_ATTR_NOEXEC;
constexpr std::string_view kTmp = "/tmp/";
// By which names of hosts are resolved, and times of day.
constexpr const char* kFilesOfHost[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/hostname",
                                        "/etc/localtime"};

const std::string kRoot = kRootDirectory;

// While it lives, modes are what the code says, whatever umask the agent was started with.
class PlainModes {
 public:
  PlainModes() : before_(umask(022)) {}
  ~PlainModes() { umask(before_); }

 private:
  const mode_t before_;
};

Status MakeOwn(const std::string& name, mode_t mode) {
  if ((mkdir(name.c_str(), 0700) == 0 || errno == EEXIST) && chmod(name.c_str(), mode) == 0)
    return Ok();
  return Fail(SystemError("cannot make the attempt's " + name, errno));
}

Result<Descriptor> OpenOfHost(const std::string& path, int flags) {
  Descriptor opened(open(path.c_str(), flags | O_CLOEXEC));
  if (opened.valid()) return opened;
  return Fail(SystemError("cannot open " + path, errno));
}

// The directories of an image that an overlay stacks, the topmost first.
class Layers {
 public:
  // Of the agent's store, which no user can enter.
  static Result<Layers> Open(const std::vector<std::string>& paths) {
    Layers layers;
    for (const std::string& path : paths)
      layers.directories_.push_back(GP_TRY(OpenOfHost(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)));
    layers.has_marks_of_users_ = true;
    return layers;
  }
  // A directory that the job names.
  static Layers Of(Descriptor directory) {
    Layers layers;
    layers.directories_.push_back(std::move(directory));
    return layers;
  }

  const Descriptor& top() const { return directories_.front(); }
  // Options of the overlay.  Nothing that the image's author wrote beside its files may redirect
  // the kernel.
  std::vector<DetachedTree::Option> Options() const {
    std::string lower;
    for (const Descriptor& one : directories_)
      lower += (lower.empty() ? "/proc/self/fd/" : ":/proc/self/fd/") + std::to_string(one.get());
    std::vector<DetachedTree::Option> options = {{"lowerdir", lower},
                                                 {"upperdir", kRoot + "/upper"},
                                                 {"workdir", kRoot + "/work"},
                                                 {"redirect_dir", "nofollow"},
                                                 {"metacopy", "off"}};
    // The store marks what a layer hides by attributes that need no privilege.
    if (has_marks_of_users_) options.push_back({"userxattr", ""});
    return options;
  }

 private:
  std::vector<Descriptor> directories_;
  bool has_marks_of_users_ = false;
};

// The upper layer's own owner and mode are those that the job sees of its root.
Status MakeUpper(const Descriptor& top) {
  for (const char* layer : {"/upper", "/work", "/merged"})
    GP_CHECK_OK(MakeOwn(kRoot + layer, 0755));
  const std::string upper = kRoot + "/upper";
  struct stat facts;
  if (fstat(top.get(), &facts) == 0 && chown(upper.c_str(), facts.st_uid, facts.st_gid) == 0 &&
      chmod(upper.c_str(), facts.st_mode & 01777) == 0)
    return Ok();
  return Fail(SystemError("cannot prepare the image's root", errno));
}

// The image below, a layer for what the job writes above.
Result<DetachedTree> MountLayers(const Layers& layers) {
  GP_CHECK_OK(MakeUpper(layers.top()));
  struct statvfs facts;
  const bool is_executable =
      fstatvfs(layers.top().get(), &facts) != 0 || (facts.f_flag & ST_NOEXEC) == 0;
  return DetachedTree::Make("overlay", layers.Options(),
                            kNoPrivileges | (is_executable ? 0 : MOUNT_ATTR_NOEXEC),
                            kRoot + "/merged");
}

Result<DetachedTree> MakeRoot(const Layers& layers) {
  Result<DetachedTree> root = MountLayers(layers);
  if (root.has_value()) return root;
  // Not every file system can be an upper layer: NFS cannot, nor some overlays, as in containers.
  // Memory can, and what the job writes there counts against its own.
  const DetachedTree memory = GP_TRY(DetachedTree::Make("tmpfs", {}, kNoPrivileges));
  GP_CHECK_OK(memory.AttachAt(GP_TRY(OpenOfHost(kRoot, O_PATH | O_DIRECTORY))));
  Result<DetachedTree> in_memory = MountLayers(layers);
  return in_memory.has_value() ? std::move(in_memory) : std::move(root);
}

// The image's root while it is put together.  All is attached by descriptors that were opened in
// the image, in the job's /tmp or in a directory of the host that is shown already, and only in the
// first two is anything made.
class ImageRoot {
 public:
  explicit ImageRoot(DetachedTree root) : root_(std::move(root)) {}

  // At a place of the attempt's own, so that other mounts can be attached in it.
  Status Begin() {
    return root_.AttachAt(GP_TRY(OpenOfHost(kRoot + "/merged", O_PATH | O_DIRECTORY)));
  }
  Status ShowDirectory(const DetachedTree& tree, const std::string& at) {
    return tree.AttachAt(GP_TRY(DirectoryAt(at)));
  }
  Status ShowFile(const std::string& from, const std::string& at, uint64_t attributes) {
    if (const Shown* const above = ShownAbove(at); above != nullptr) {
      if (above->of->is_itself && Has(*above, at, GP_TRY(OpenOfHost(from, O_PATH)))) return Ok();
      return Fail(InvalidArgument(above->of->path + ", shown in the image, covers " + at));
    }
    const Descriptor file = GP_TRY(OpenOfHost(from, O_PATH));
    const DetachedTree tree = GP_TRY(DetachedTree::Clone(file.get(), attributes));
    return tree.AttachAt(GP_TRY(FileAt(at)));
  }
  Status ShowTmp(DetachedTree tree) {
    tmp_ = std::move(tree);
    return tmp_.AttachAt(GP_TRY(MakeDirectoryIn(root_.fd(), "/tmp")));
  }
  Status ShowOfUser(const OpenedDirectory& one) {
    const Shown* const above = ShownAbove(one.path);
    if (above != nullptr && above->of->is_itself && one.is_itself &&
        Has(*above, one.path, one.directory))
      return Ok();
    DetachedTree tree = GP_TRY(DetachedTree::Clone(
        one.directory.get(), kNoPrivileges | (one.read_only ? MOUNT_ATTR_RDONLY : 0)));
    GP_CHECK_OK(tree.AttachAt(
        GP_TRY(IsDirectory(one.directory) ? DirectoryAt(one.path) : FileAt(one.path))));
    shown_.push_back({&one, std::move(tree)});
    return Ok();
  }
  // What a job mounts over their place stands in place of the driver's files.
  Status ShowDriver(const std::string& list) {
    const std::string libraries = LibraryDirectoryOf(root_.fd());
    const std::string text = GP_TRY(ReadFileAt(AT_FDCWD, list.c_str()));
    for (const auto& [from, at] : ReadDriverList(text, libraries)) {
      if (ShownAbove(at) != nullptr) continue;
      if (access(from.c_str(), F_OK) != 0)
        return Fail(SystemError("cannot show the driver's file " + from +
                                    " (restart the agent after its driver changes)",
                                errno));
      GP_CHECK_OK(ShowFile(from, at, kReadOnly));
    }
    return Ok();
  }
  Status MakeDirectory(const std::string& at) {
    GP_TRY(DirectoryAt(at));
    return Ok();
  }

 private:
  struct Shown {
    const OpenedDirectory* of;
    DetachedTree tree;
  };

  // The directory that has the path, of those that are shown; null: none.
  const Shown* ShownAbove(const std::string& path) const {
    for (const Shown& one : shown_ | std::views::reverse) {
      if (IsAtOrBelow(one.of->path, path)) return &one;
    }
    return nullptr;
  }
  static Descriptor Open(const Shown& above, const std::string& path) {
    std::string below = ".";
    for (const std::string_view word : WordsBelow(above.of->path, path))
      below.append("/").append(word);
    return OpenBelow(above.tree.fd(), below);
  }
  // Whether this file is there already: it is not if another file system is mounted in between.
  static bool Has(const Shown& above, const std::string& path, const Descriptor& file) {
    const Descriptor there = Open(above, path);
    return there.valid() && IsSameFile(there, file.get());
  }
  // In a directory of the host nothing is made.
  Result<Descriptor> DirectoryAt(const std::string& path) const {
    if (const Shown* const above = ShownAbove(path); above != nullptr) {
      Descriptor opened = Open(*above, path);
      if (opened.valid()) return opened;
      return Fail(ErrorOfJob(
          "cannot open " + path + " in " + above->of->path + ", which the image shows", errno));
    }
    if (path.starts_with(kTmp)) return MakeDirectoryIn(tmp_.fd(), path.substr(kTmp.size() - 1));
    return MakeDirectoryIn(root_.fd(), path);
  }
  // REQUIRES: no directory of the host is shown above it, or it has the file.
  Result<Descriptor> FileAt(const std::string& path) const {
    if (const Shown* const above = ShownAbove(path); above != nullptr) {
      Descriptor opened = Open(*above, path);
      if (opened.valid() && !IsDirectory(opened)) return opened;
      return Fail(InvalidArgument("there is no file " + path + " in " + above->of->path +
                                  ", which the image shows"));
    }
    if (path.starts_with(kTmp)) return MakeFileIn(tmp_.fd(), path.substr(kTmp.size() - 1));
    return MakeFileIn(root_.fd(), path);
  }

  DetachedTree root_;
  DetachedTree tmp_;
  std::vector<Shown> shown_;  // those inside others after them
};

// The image's own list of users says nothing of the job's user, whose ids are the host's.
Status ShowAccounts(const LaunchSpec& spec, ImageRoot& root) {
  const std::string uid = std::to_string(spec.uid);
  const std::string gid = std::to_string(spec.gid);
  std::string users = "root:x:0:0:root:/root:/bin/sh\n";
  std::string groups = "root:x:0:\ntty:x:5:\n";
  if (spec.uid != 0 && !spec.user_name.empty())
    users += spec.user_name + ":x:" + uid + ":" + gid + "::" + spec.home + ":/bin/sh\n";
  if (spec.gid != 0 && !spec.user_name.empty()) groups += spec.user_name + ":x:" + gid + ":\n";
  for (const auto& [name, text] : {std::pair("passwd", users), std::pair("group", groups)}) {
    const std::string file = kRoot + "/" + name;
    GP_CHECK_OK(ReplaceFileAt(AT_FDCWD, file, text, 0644, Survives::kCrash));
    GP_CHECK_OK(root.ShowFile(file, std::string("/etc/") + name, kLookOnly));
  }
  return Ok();
}

Status ShowDevices(const LaunchSpec& spec, ImageRoot& root) {
  const std::vector<DeviceNode> nodes = FindDeviceNodes(spec.device_directory, spec.devices);
  const DetachedTree dev = GP_TRY(MakeDev(nodes));
  GP_CHECK_OK(root.ShowDirectory(dev, "/dev"));
  const DetachedTree::Option terminals[] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {"gid", "5"}};
  const DetachedTree pts =
      GP_TRY(DetachedTree::Make("devpts", terminals, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  GP_CHECK_OK(pts.AttachAt(GP_TRY(MakeDirectoryIn(dev.fd(), "/pts"))));
  std::vector<DetachedTree::Option> memory = {{"mode", "1777"}};
  if (spec.shm_bytes > 0) memory.push_back({"size", std::to_string(spec.shm_bytes)});
  const DetachedTree shm = GP_TRY(DetachedTree::Make("tmpfs", memory, kNoPrivileges));
  GP_CHECK_OK(shm.AttachAt(GP_TRY(MakeDirectoryIn(dev.fd(), "/shm"))));
  GP_CHECK_OK(dev.Seal());
  if (nodes.empty() || spec.device_directory == "/dev") return Ok();
  const DetachedTree simulated = GP_TRY(MakeNodeDirectory(spec.device_directory, nodes));
  GP_CHECK_OK(root.ShowDirectory(simulated, spec.device_directory));
  return simulated.Seal();
}

// What the platform shows each job, before what its user asked for.
Status ShowOfPlatform(const LaunchSpec& spec, ImageRoot& root) {
  GP_CHECK_OK(root.MakeDirectory("/proc"));  // mounted in the job's PID namespace
  const Descriptor system = GP_TRY(OpenOfHost("/sys", O_PATH | O_DIRECTORY));
  GP_CHECK_OK(root.ShowDirectory(
      GP_TRY(DetachedTree::CloneWithMountsBelow(system.get(), kLookOnly)), "/sys"));
  GP_CHECK_OK(MakeOwn(kPrivateTmp, 01777));
  const Descriptor tmp = GP_TRY(OpenOfHost(kPrivateTmp, O_PATH | O_DIRECTORY));
  GP_CHECK_OK(root.ShowTmp(GP_TRY(DetachedTree::Clone(tmp.get(), kNoPrivileges))));
  GP_CHECK_OK(ShowAccounts(spec, root));
  for (const char* path : kFilesOfHost) {
    if (access(path, R_OK) == 0) GP_CHECK_OK(root.ShowFile(path, path, kLookOnly));
  }
  return Ok();
}

// Leaves the host's root, and all that is mounted there, behind.
Status Pivot() {
  const std::string at = kRoot + "/merged";
  if (chdir(at.c_str()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
    return Fail(SystemError("cannot enter the image's root (an agent in a chroot cannot)", errno));
  // The old root is mounted over the new one until here.
  if (umount2(".", MNT_DETACH) == 0 && chdir("/") == 0) return Ok();
  return Fail(SystemError("cannot leave the host's root", errno));
}

}  // namespace

Status EnterImageRoot(const LaunchSpec& spec) {
  const PlainModes modes;
  OpenedAsUser opened = GP_TRY(OpenAsUser(spec));
  GP_CHECK_OK(MakeOwn(kRoot, 0700));
  const Layers layers = spec.image_layers.empty() ? Layers::Of(std::move(opened.image))
                                                  : GP_TRY(Layers::Open(spec.image_layers));
  ImageRoot root(GP_TRY(MakeRoot(layers)));
  GP_CHECK_OK(root.Begin());
  GP_CHECK_OK(ShowOfPlatform(spec, root));
  // Those above come before those inside them.
  std::ranges::stable_sort(opened.shown, {}, [](const auto& one) { return one.path.size(); });
  for (const OpenedDirectory& one : opened.shown) GP_CHECK_OK(root.ShowOfUser(one));
  // In a private /tmp the report pipe is already.
  const bool is_in_tmp = spec.private_tmp && spec.report_pipe.starts_with(kTmp);
  if (!spec.report_pipe.empty() && !is_in_tmp)
    GP_CHECK_OK(root.ShowFile(spec.report_pipe, spec.report_pipe, kNoPrivileges));
  GP_CHECK_OK(ShowDevices(spec, root));
  for (const std::string& list : spec.driver_lists) GP_CHECK_OK(root.ShowDriver(list));
  return Pivot();
}

}  // namespace gp
