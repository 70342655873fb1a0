#include "adapters/outbound/cgroup/legacy_tree.h"

#include <algorithm>
#include <span>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "adapters/outbound/cgroup/device_program.h"

namespace gp {
namespace {

constexpr const char* kLegacyControllers[] = {"cpuacct", "cpuset", "devices",
                                              "freezer", "memory", "pids"};

}  // namespace

Result<LegacyTree::Cpuset> LegacyTree::ReadCpuset(const std::string& path) {
  const auto read = [&](const char* file) -> Result<CpuSet> {
    const std::string text = GP_TRY(ReadCgroupFile(path + file));
    return CpuSet::Parse(std::string_view(text).substr(0, text.find('\n')));
  };
  return Cpuset{GP_TRY(read("/cpuset.cpus")), GP_TRY(read("/cpuset.mems"))};
}

// A new cpuset is empty and accepts no process until it has CPUs and memory nodes.
Status LegacyTree::WriteCpuset(const std::string& path, const Cpuset& set) {
  GP_CHECK_OK(WriteCgroupFile(path + "/cpuset.cpus", set.cpus.ToString()));
  return WriteCgroupFile(path + "/cpuset.mems", set.mems.ToString());
}

Status LegacyTree::MakeBase(const std::string& own, const std::string& controller,
                            const std::string& name) {
  const std::string base = own + "/" + name;
  AgentRoot root = GP_TRY(AgentRoot::Hold(base));
  if (controller == "cpuset") {
    own_ = GP_TRY(ReadCpuset(own));
    GP_CHECK_OK(WriteCpuset(base, own_));
  }
  bases_.emplace(controller, base);
  roots_.push_back(std::move(root));
  return Ok();
}

LegacyTree LegacyTree::Prepare(const std::map<std::string, std::string>& own,
                               const std::string& name, std::vector<std::string>& warnings) {
  LegacyTree tree;
  for (const std::string controller : kLegacyControllers) {
    const auto found = own.find(controller);
    if (found == own.end()) continue;
    if (const Status made = tree.MakeBase(found->second, controller, name); !made.has_value())
      warnings.push_back("cgroup v1 controller " + controller + ": " + made.error().message);
  }
  return tree;
}

void LegacyTree::RemoveUnused() {
  for (AgentRoot& root : roots_) root.RemoveIfUnused();
  roots_.clear();
}

Result<std::string> LegacyTree::Join(const std::string& controller, const std::string& key,
                                     CgroupPaths& paths) const {
  const std::string path = bases_.at(controller) + "/" + key;
  // Controllers mounted together share one directory.
  if (std::ranges::find(paths.joined, path) != paths.joined.end()) return path;
  GP_CHECK_OK(MakeCgroup(path));
  paths.joined.push_back(path);
  return path;
}

// None where the request leaves all CPUs and memory nodes: the attempt stays in this process's own.
Status LegacyTree::MakeCpuset(const std::string& key, const IsolationRequest& request,
                              CgroupPaths& paths) const {
  const bool has_all = (request.cpus.Empty() || request.cpus == own_.cpus) &&
                       (request.memory_nodes.Empty() || request.memory_nodes == own_.mems);
  if (has_all) return Ok();
  Cpuset set = GP_TRY(ReadCpuset(bases_.at("cpuset")));
  if (!request.cpus.Empty()) set.cpus = request.cpus;
  if (!request.memory_nodes.Empty()) set.mems = request.memory_nodes;
  return WriteCpuset(GP_TRY(Join("cpuset", key, paths)), set);
}

Status LegacyTree::Make(const std::string& key, const IsolationRequest& request,
                        CgroupPaths& paths) const {
  if (Has("memory") && request.memory_bytes_max > 0) {
    const std::string path = GP_TRY(Join("memory", key, paths));
    const std::string limit = std::to_string(request.memory_bytes_max);
    GP_CHECK_OK(WriteCgroupFile(path + "/memory.limit_in_bytes", limit));
    // Does not exist if the kernel does not account for swap.
    const Status swap = WriteCgroupFile(path + "/memory.memsw.limit_in_bytes", limit);
    if (!swap.has_value() && swap.error().code != ErrorCode::kNotFound) return swap;
    paths.oom_events = path + "/memory.oom_control";
  }
  if (Has("pids") && request.processes_max > 0) {
    const std::string path = GP_TRY(Join("pids", key, paths));
    GP_CHECK_OK(WriteCgroupFile(path + "/pids.max", std::to_string(request.processes_max)));
  }
  return Has("cpuset") ? MakeCpuset(key, request, paths) : Ok();
}

Status LegacyTree::MakeDevices(const std::string& key, std::span<const DeviceNumber> devices,
                               CgroupPaths& paths) const {
  const std::string path = GP_TRY(Join("devices", key, paths));
  GP_CHECK_OK(WriteCgroupFile(path + "/devices.deny", "a"));
  std::vector<DeviceNumber> allowed(StandardDevices().begin(), StandardDevices().end());
  allowed.insert(allowed.end(), devices.begin(), devices.end());
  for (const DeviceNumber& device : allowed) {
    const std::string minor = device.minor == kAnyMinor ? "*" : std::to_string(device.minor);
    GP_CHECK_OK(WriteCgroupFile(path + "/devices.allow",
                                "c " + std::to_string(device.major) + ":" + minor + " rw"));
  }
  return Ok();
}

Status LegacyTree::MakeFreezer(const std::string& key, CgroupPaths& paths) const {
  if (!Has("freezer")) return Ok();
  paths.freezer = GP_TRY(Join("freezer", key, paths));
  return Ok();
}

Status LegacyTree::MakeCounter(const std::string& key, CgroupPaths& paths) const {
  if (Has("cpuacct")) GP_TRY(Join("cpuacct", key, paths));
  return Ok();
}

}  // namespace gp
