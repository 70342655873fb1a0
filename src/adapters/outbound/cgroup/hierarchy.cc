#include "adapters/outbound/cgroup/hierarchy.h"

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "base/text.h"

namespace gp {
namespace {

struct Mount {
  std::string root;  // the cgroup that is visible at `point`
  std::string point;
  std::string options;  // mount options: include the version 1 controllers
  bool unified = false;
};

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                        (text[i + 3] - '0')));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

std::vector<Mount> CgroupMounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string& line : Split(mountinfo, '\n')) {
    const std::vector<std::string> fields = Split(line, ' ');
    size_t dash = 6;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (dash + 3 >= fields.size()) continue;
    const std::string& type = fields[dash + 1];
    if (type != "cgroup" && type != "cgroup2") continue;
    mounts.push_back({.root = Unescape(fields[3]),
                      .point = Unescape(fields[4]),
                      .options = fields[dash + 3],
                      .unified = type == "cgroup2"});
  }
  return mounts;
}

// The directory of cgroup `path` below a mount; empty if the mount does not show it.
std::string DirectoryIn(const Mount& mount, std::string_view path) {
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return "";
    path.remove_prefix(mount.root.size());
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  return mount.point + std::string(path);
}

}  // namespace

CgroupHierarchy ParseHierarchy(std::string_view mountinfo, std::string_view self_cgroup) {
  CgroupHierarchy hierarchy;
  const std::vector<Mount> mounts = CgroupMounts(mountinfo);
  for (const std::string& line : Split(self_cgroup, '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    for (const Mount& mount : mounts) {
      if (controllers.empty() && mount.unified && hierarchy.unified.empty()) {
        hierarchy.unified = DirectoryIn(mount, path);
        hierarchy.unified_is_root = path == "/" && mount.root == "/";
      }
      if (controllers.empty() || mount.unified) continue;
      for (const std::string& controller : Split(controllers, ',')) {
        if (!HasWord(mount.options, controller)) continue;
        hierarchy.legacy.emplace(controller, DirectoryIn(mount, path));
      }
    }
  }
  std::erase_if(hierarchy.legacy, [](const auto& entry) { return entry.second.empty(); });
  return hierarchy;
}

Result<CgroupHierarchy> ReadHierarchy() {
  const std::string mountinfo = GP_TRY(ReadCgroupFile("/proc/self/mountinfo"));
  const std::string self_cgroup = GP_TRY(ReadCgroupFile("/proc/self/cgroup"));
  return ParseHierarchy(mountinfo, self_cgroup);
}

std::string ParentOfAgentRoot(std::string own) {
  // systemd (DelegateSubgroup=agent), or an earlier agent, may have put this process into the leaf.
  if (own.ends_with(kAgentLeaf)) own.resize(own.size() - kAgentLeaf.size());
  if (!own.ends_with(".service")) return own;
  const std::string slice = own.substr(0, own.rfind('/'));
  return slice.ends_with(".slice") ? slice : own;
}

}  // namespace gp
