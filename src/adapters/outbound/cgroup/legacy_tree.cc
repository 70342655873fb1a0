#include "adapters/outbound/cgroup/legacy_tree.h"

#include <algorithm>
#include <span>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "adapters/outbound/cgroup/device_program.h"

namespace gp {
namespace {

constexpr const char* kLegacyControllers[] = {"cpuacct", "cpuset", "devices",
                                              "freezer", "memory", "pids"};

struct Cpuset {
  CpuSet cpus;
  CpuSet mems;
  bool operator==(const Cpuset&) const = default;
};

Result<Cpuset> ReadCpuset(const std::string& path) {
  const auto read = [&](const char* file) -> Result<CpuSet> {
    const std::string text = GP_TRY(ReadCgroupFile(path + file));
    return CpuSet::Parse(std::string_view(text).substr(0, text.find('\n')));
  };
  return Cpuset{GP_TRY(read("/cpuset.cpus")), GP_TRY(read("/cpuset.mems"))};
}

// A new cpuset is empty and accepts no process until it has CPUs and memory nodes.
Status WriteCpuset(const std::string& path, const Cpuset& set) {
  GP_CHECK_OK(WriteCgroupFile(path + "/cpuset.cpus", set.cpus.ToString()));
  return WriteCgroupFile(path + "/cpuset.mems", set.mems.ToString());
}

Result<AgentRoot> MakeBase(const std::string& own, const std::string& base,
                           const std::string& controller) {
  AgentRoot root = GP_TRY(AgentRoot::Hold(base));
  if (controller == "cpuset") GP_CHECK_OK(WriteCpuset(base, GP_TRY(ReadCpuset(own))));
  return root;
}

}  // namespace

LegacyTree LegacyTree::Prepare(const std::map<std::string, std::string>& own,
                               const std::string& name, std::vector<std::string>& warnings) {
  LegacyTree tree;
  for (const std::string controller : kLegacyControllers) {
    const auto found = own.find(controller);
    if (found == own.end()) continue;
    const std::string base = found->second + "/" + name;
    auto made = MakeBase(found->second, base, controller);
    if (made.has_value()) {
      tree.bases_.emplace(controller, base);
      tree.roots_.push_back(*std::move(made));
    } else {
      warnings.push_back("cgroup v1 controller " + controller + ": " + made.error().message);
    }
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

// None where the request leaves all CPUs and memory nodes of the base: the attempt then stays in
// this process's own cpuset, of which the base is a copy.
Status LegacyTree::MakeCpuset(const std::string& key, const IsolationRequest& request,
                              CgroupPaths& paths) const {
  const Cpuset base = GP_TRY(ReadCpuset(bases_.at("cpuset")));
  const Cpuset wanted{request.cpus.Empty() ? base.cpus : request.cpus,
                      request.memory_nodes.Empty() ? base.mems : request.memory_nodes};
  if (wanted == base) return Ok();
  return WriteCpuset(GP_TRY(Join("cpuset", key, paths)), wanted);
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
  const bool wants_cpuset = !request.cpus.Empty() || !request.memory_nodes.Empty();
  return Has("cpuset") && wants_cpuset ? MakeCpuset(key, request, paths) : Ok();
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
