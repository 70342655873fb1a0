#include "supervisor/image/device_nodes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "supervisor/image/detached_tree.h"
#include "supervisor/image/mount_points.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr const char* kDev = "/dev";
constexpr const char* kOfDrivers[] = {"", "/nvidia-caps", "/dri"};
constexpr uint64_t kNotExecutable = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;

const DeviceNode kOfEveryJob[] = {{"/dev/null", {1, 3}},    {"/dev/zero", {1, 5}},
                                  {"/dev/full", {1, 7}},    {"/dev/random", {1, 8}},
                                  {"/dev/urandom", {1, 9}}, {"/dev/tty", {5, 0}}};
constexpr const char* kLinks[][2] = {{"/proc/self/fd", "/dev/fd"},
                                     {"/proc/self/fd/0", "/dev/stdin"},
                                     {"/proc/self/fd/1", "/dev/stdout"},
                                     {"/proc/self/fd/2", "/dev/stderr"},
                                     {"pts/ptmx", "/dev/ptmx"}};

void AddNodesIn(const std::string& directory, const std::vector<DeviceNumber>& devices,
                std::vector<DeviceNode>& nodes) {
  DIR* const open = opendir(directory.c_str());
  if (open == nullptr) return;
  while (const dirent* const entry = readdir(open)) {
    struct stat facts;
    const bool is_device = fstatat(dirfd(open), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                           S_ISCHR(facts.st_mode);
    if (!is_device) continue;
    const DeviceNumber number{static_cast<int>(major(facts.st_rdev)),
                              static_cast<int>(minor(facts.st_rdev))};
    if (std::ranges::find(devices, number) != devices.end())
      nodes.push_back({directory + "/" + entry->d_name, number});
  }
  closedir(open);
}

Status MakeNode(const DeviceNode& node) {
  const dev_t number =
      makedev(static_cast<unsigned>(node.number.major), static_cast<unsigned>(node.number.minor));
  // Not narrowed by the umask.
  if (mknod(node.path.c_str(), S_IFCHR | 0666, number) == 0 && chmod(node.path.c_str(), 0666) == 0)
    return Ok();
  return Fail(SystemError("cannot make " + node.path, errno));
}

Status MountNodeDirectory(const std::string& path) {
  const DetachedTree::Option options[] = {{"mode", "0755"}, {"size", "1m"}};
  const DetachedTree tree = GP_TRY(DetachedTree::Make("tmpfs", options, kNotExecutable));
  GP_CHECK_OK(MakeDirectories(path));
  return tree.AttachAt(path);
}

Status Seal(const std::string& path) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (mount_setattr(AT_FDCWD, path.c_str(), 0, &attributes, sizeof attributes) == 0) return Ok();
  return Fail(SystemError("cannot protect " + path, errno));
}

Status MountTerminals() {
  const DetachedTree::Option options[] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {"gid", "5"}};
  const DetachedTree tree = GP_TRY(DetachedTree::Make("devpts", options, kNotExecutable));
  GP_CHECK_OK(MakeDirectories("/dev/pts"));
  return tree.AttachAt("/dev/pts");
}

}  // namespace

std::vector<DeviceNode> FindDeviceNodes(const std::string& directory,
                                        const std::vector<DeviceNumber>& devices) {
  std::vector<DeviceNode> nodes;
  for (const char* below : kOfDrivers) AddNodesIn(directory + below, devices, nodes);
  std::ranges::sort(nodes, {}, &DeviceNode::path);
  return nodes;
}

Status MountShm(int64_t bytes) {
  const std::string size = bytes > 0 ? ",size=" + std::to_string(bytes) : "";
  const std::string options = "mode=1777" + size;
  if (mount("shm", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0) return Ok();
  return Fail(SystemError("cannot mount /dev/shm of the requested size", errno));
}

Status MountDevices(const std::vector<DeviceNode>& nodes, int64_t shm_bytes) {
  GP_CHECK_OK(MountNodeDirectory(kDev));
  for (const DeviceNode& node : kOfEveryJob) GP_CHECK_OK(MakeNode(node));
  for (const auto& [target, link] : kLinks) {
    if (symlink(target, link) != 0)
      return Fail(SystemError(std::string("cannot make ") + link, errno));
  }
  GP_CHECK_OK(MountTerminals());
  GP_CHECK_OK(MakeDirectories("/dev/shm"));
  GP_CHECK_OK(MountShm(shm_bytes));
  std::vector<std::string> sealed = {kDev};
  for (const DeviceNode& node : nodes) {
    const std::string directory = node.path.substr(0, node.path.rfind('/'));
    if (std::ranges::find(sealed, directory) == sealed.end()) {
      GP_CHECK_OK(MountNodeDirectory(directory));
      sealed.push_back(directory);
    }
    GP_CHECK_OK(MakeNode(node));
  }
  for (const std::string& directory : sealed) GP_CHECK_OK(Seal(directory));
  return Ok();
}

}  // namespace gp
