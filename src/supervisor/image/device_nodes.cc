#include "supervisor/image/device_nodes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "supervisor/image/mount_points.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr const char* kOfDrivers[] = {"", "/nvidia-caps", "/dri"};

const DeviceNode kOfEveryJob[] = {{"/dev/null", {1, 3}},    {"/dev/zero", {1, 5}},
                                  {"/dev/full", {1, 7}},    {"/dev/random", {1, 8}},
                                  {"/dev/urandom", {1, 9}}, {"/dev/tty", {5, 0}}};
constexpr const char* kLinks[][2] = {{"/proc/self/fd", "fd"},
                                     {"/proc/self/fd/0", "stdin"},
                                     {"/proc/self/fd/1", "stdout"},
                                     {"/proc/self/fd/2", "stderr"},
                                     {"pts/ptmx", "ptmx"}};

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
      nodes.push_back({directory + "/" + entry->d_name, number, facts.st_mode & 0777, facts.st_uid,
                       facts.st_gid});
  }
  closedir(open);
}

Status MakeNode(const DetachedTree& tree, const std::string& below, const DeviceNode& node) {
  const std::string path = node.path.substr(below.size());
  const size_t slash = path.rfind('/');
  const Descriptor directory = GP_TRY(MakeDirectoryIn(tree.fd(), path.substr(0, slash)));
  const std::string name = path.substr(slash + 1);
  const dev_t number =
      makedev(static_cast<unsigned>(node.number.major), static_cast<unsigned>(node.number.minor));
  // The mode comes after the umask, and after the owner, whose change narrows it.
  if (mknodat(directory.get(), name.c_str(), S_IFCHR | 0600, number) == 0 &&
      fchownat(directory.get(), name.c_str(), node.owner, node.group, 0) == 0 &&
      fchmodat(directory.get(), name.c_str(), node.mode, 0) == 0)
    return Ok();
  return Fail(SystemError("cannot make the device file " + node.path, errno));
}

}  // namespace

std::vector<DeviceNode> FindDeviceNodes(const std::string& directory,
                                        const std::vector<DeviceNumber>& devices) {
  std::vector<DeviceNode> nodes;
  for (const char* below : kOfDrivers) AddNodesIn(directory + below, devices, nodes);
  std::ranges::sort(nodes, {}, &DeviceNode::path);
  return nodes;
}

Result<DetachedTree> MakeNodeDirectory(const std::string& directory,
                                       const std::vector<DeviceNode>& nodes) {
  const DetachedTree::Option options[] = {{"mode", "0755"}, {"size", "1m"}};
  DetachedTree tree =
      GP_TRY(DetachedTree::Make("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  for (const DeviceNode& node : nodes) {
    if (node.path.starts_with(directory + "/")) GP_CHECK_OK(MakeNode(tree, directory, node));
  }
  return tree;
}

Result<DetachedTree> MakeDev(const std::vector<DeviceNode>& nodes) {
  DetachedTree tree = GP_TRY(MakeNodeDirectory("/dev", nodes));
  for (const DeviceNode& node : kOfEveryJob) GP_CHECK_OK(MakeNode(tree, "/dev", node));
  for (const auto& [target, name] : kLinks) {
    if (symlinkat(target, tree.fd(), name) != 0)
      return Fail(SystemError(std::string("cannot make /dev/") + name, errno));
  }
  return tree;
}

}  // namespace gp
