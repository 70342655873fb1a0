#include "supervisor/image/agent_data.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/image/detached_tree.h"
#include "supervisor/image/mount_points.h"
#include "supervisor/process/host.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

constexpr std::string_view kOwnTmp = "/tmp/";
constexpr uint64_t kDataAttributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// What is there is covered for this attempt alone.  A link could lead to a directory of the system.
Result<Descriptor> OpenCovered(const std::string& at, bool is_directory) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC | (is_directory ? O_DIRECTORY : 0);
  how.resolve = RESOLVE_NO_SYMLINKS;
  Descriptor target(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, at.c_str(), &how, sizeof how)));
  if (target.valid() && IsDirectory(target) == is_directory) return target;
  return Fail(InvalidArgument("stage: this node has no " +
                              std::string(is_directory ? "directory " : "file ") + at +
                              " to show the data at, or a link leads there: without an image, "
                              "name a path in /tmp, or one that the node has"));
}

Result<Descriptor> TargetOf(const std::string& at, bool is_directory, bool has_own_tmp) {
  if (!has_own_tmp || !at.starts_with(kOwnTmp)) return OpenCovered(at, is_directory);
  const Descriptor tmp(open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!tmp.valid()) return Fail(SystemError("cannot open the private /tmp", errno));
  const std::string below = at.substr(kOwnTmp.size() - 1);
  return is_directory ? MakeDirectoryIn(tmp.get(), below) : MakeFileIn(tmp.get(), below);
}

}  // namespace

Result<Descriptor> OpenOfAgent(const std::string& path) {
  Descriptor file(open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (file.valid()) return file;
  return Fail(SystemError("cannot open " + path, errno));
}

bool IsDirectory(const Descriptor& file) {
  struct stat facts = {};
  return fstat(file.get(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

Result<AgentData> AgentData::Open(const LaunchSpec& spec) {
  AgentData data;
  for (const HostDirectory& one : spec.host_directories) {
    if (one.is_of_agent) data.shown_.push_back({one.at, GP_TRY(OpenOfAgent(one.path))});
  }
  return data;
}

Status AgentData::Show(bool has_own_tmp) const {
  for (const Shown& one : shown_) {
    const DetachedTree tree = GP_TRY(DetachedTree::Clone(one.file.get(), kDataAttributes));
    GP_CHECK_OK(tree.AttachAt(GP_TRY(TargetOf(one.at, IsDirectory(one.file), has_own_tmp))));
  }
  return Ok();
}

}  // namespace gp
