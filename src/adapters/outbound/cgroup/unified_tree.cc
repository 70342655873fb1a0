#include "adapters/outbound/cgroup/unified_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "adapters/outbound/cgroup/hierarchy.h"

namespace gp {
namespace {

constexpr const char* kUnifiedControllers[] = {"cpuset", "memory", "pids"};

Status EnsureDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return Ok();
  return Fail(Internal("cannot create " + path + ": " + std::strerror(errno)));
}

// Enables a controller for the children of `parent`.
Status Enable(const std::string& parent, const std::string& controller) {
  return WriteCgroupFile(parent + "/cgroup.subtree_control", "+" + controller);
}

// A cgroup that holds processes must not delegate controllers.  The kernel refuses most of them,
// but for some (pids, cpuset) it makes the cgroup "threaded": then its children accept no
// processes.
Status Vacate(const std::string& own) {
  const std::string leaf = own + std::string(kAgentLeaf);
  const std::string before = GP_TRY(ReadCgroupFile(own + "/cgroup.procs"));
  if (before.empty()) return Ok();
  GP_CHECK_OK(EnsureDirectory(leaf));
  GP_CHECK_OK(WriteCgroupFile(leaf + "/cgroup.procs", "0"));
  const std::string after = GP_TRY(ReadCgroupFile(own + "/cgroup.procs"));
  if (after.empty()) return Ok();
  return Fail(Conflict("other processes live in " + own));
}

Status WriteIfPresent(const std::string& path, std::string_view value) {
  const Status written = WriteCgroupFile(path, value);
  if (!written.has_value() && written.error().code == ErrorCode::kNotFound) return Ok();
  return written;
}

Status SetMemory(const std::string& path, int64_t bytes_max) {
  GP_CHECK_OK(WriteCgroupFile(path + "/memory.max", std::to_string(bytes_max)));
  GP_CHECK_OK(WriteIfPresent(path + "/memory.swap.max", "0"));
  // If one worker is killed for memory, the others would wait for it forever: kill all at once.
  return WriteIfPresent(path + "/memory.oom.group", "1");
}

}  // namespace

Result<UnifiedTree> UnifiedTree::Prepare(const std::string& own, bool is_root,
                                         const std::string& name,
                                         std::vector<std::string>& warnings) {
  const std::string parent = ParentOfAgentRoot(own);
  UnifiedTree tree;
  tree.root_ = GP_TRY(AgentRoot::Hold(parent + "/" + name));
  const std::string available = GP_TRY(ReadCgroupFile(parent + "/cgroup.controllers"));
  for (const char* controller : kUnifiedControllers) {
    if (HasWord(available, controller)) tree.controllers_.push_back(controller);
  }
  if (tree.controllers_.empty()) return tree;
  const Status vacated = is_root ? Ok() : Vacate(parent);
  if (vacated.has_value()) {
    tree.EnableControllers(parent, warnings);
  } else {
    tree.controllers_.clear();
    warnings.push_back("cgroup v2 controllers: " + vacated.error().message +
                       " (run the agent in a unit of its own with Delegate=yes)");
  }
  return tree;
}

// Puts the enabled controllers into controllers_.
void UnifiedTree::EnableControllers(const std::string& parent, std::vector<std::string>& warnings) {
  std::erase_if(controllers_, [&](const std::string& controller) {
    Status enabled = Enable(parent, controller);
    if (enabled.has_value()) enabled = Enable(base(), controller);
    if (enabled.has_value()) return false;
    warnings.push_back("cgroup controller " + controller + ": " + enabled.error().message);
    return true;
  });
}

bool UnifiedTree::Has(const std::string& controller) const {
  return std::ranges::find(controllers_, controller) != controllers_.end();
}

Status UnifiedTree::Make(const std::string& key, const IsolationRequest& request,
                         CgroupPaths& paths) const {
  const std::string path = PathOf(key);
  GP_CHECK_OK(MakeCgroup(path));
  paths.unified = path;
  if (Has("memory") && request.memory_bytes_max > 0) {
    GP_CHECK_OK(SetMemory(path, request.memory_bytes_max));
    paths.oom_events = path + "/memory.events";
  }
  if (Has("pids") && request.processes_max > 0) {
    GP_CHECK_OK(WriteCgroupFile(path + "/pids.max", std::to_string(request.processes_max)));
  }
  if (!Has("cpuset")) return Ok();
  if (!request.cpus.Empty()) {
    GP_CHECK_OK(WriteCgroupFile(path + "/cpuset.cpus", request.cpus.ToString()));
  }
  if (!request.memory_nodes.Empty()) {
    GP_CHECK_OK(WriteCgroupFile(path + "/cpuset.mems", request.memory_nodes.ToString()));
  }
  return Ok();
}

}  // namespace gp
