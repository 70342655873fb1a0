#include "adapters/outbound/cgroup/cgroup_isolation.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

// Keys become directory names.
bool IsSafeName(const std::string& key) {
  return !key.empty() && key.size() <= 128 && key.front() != '.' &&
         key.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string::npos;
}

void KillAllIn(const std::string& cgroup) {
  if (WriteCgroupFile(cgroup + "/cgroup.kill", "1")) return;
  const auto processes = ReadCgroupFile(cgroup + "/cgroup.procs");
  if (!processes) return;
  for (const std::string& line : Split(*processes, '\n')) {
    if (const auto pid = ParseCount(line); pid && *pid > 1) kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

}  // namespace

Result<std::unique_ptr<CgroupIsolation>> CgroupIsolation::Open(const Options& options) {
  std::unique_ptr<CgroupIsolation> isolation(new CgroupIsolation());
  const bool is_root = geteuid() == 0;
  isolation->devices_required_ =
      options.devices_required.value_or(is_root && options.devices != DeviceMechanism::kNone);
  if (is_root || options.hierarchy.has_value()) {
    const CgroupHierarchy hierarchy =
        options.hierarchy.has_value() ? *options.hierarchy : GP_TRY(ReadHierarchy());
    isolation->Prepare(options, hierarchy);
  } else {
    isolation->report_.warnings.push_back(
        "no isolation at all: the agent is not root, so every job runs as its user and may open "
        "every GPU (run the agent as root)");
  }
  isolation->WriteReport();
  return isolation;
}

void CgroupIsolation::Prepare(const Options& options, const CgroupHierarchy& hierarchy) {
  if (options.use_unified && !hierarchy.unified.empty()) {
    Result<UnifiedTree> tree = UnifiedTree::Prepare(hierarchy.unified, hierarchy.unified_is_root,
                                                    options.name, report_.warnings);
    if (tree.has_value()) {
      unified_ = std::move(*tree);
    } else {
      report_.warnings.push_back("cgroup v2: " + tree.error().message);
    }
  }
  legacy_ = LegacyTree::Prepare(hierarchy.legacy, options.name, report_.warnings);
  ChooseDevices(options.devices);
}

void CgroupIsolation::ChooseDevices(DeviceMechanism wanted) {
  const bool may_bpf = wanted == DeviceMechanism::kBest || wanted == DeviceMechanism::kBpf;
  const bool may_legacy = wanted == DeviceMechanism::kBest || wanted == DeviceMechanism::kLegacy;
  if (may_bpf && unified_.has_value()) {
    const Status probed = programs_.Probe();
    if (probed.has_value()) {
      devices_ = DeviceMechanism::kBpf;
      return;
    }
    report_.warnings.push_back("cgroup v2 device rules: " + probed.error().message);
  }
  if (may_legacy && legacy_.Has("devices")) devices_ = DeviceMechanism::kLegacy;
}

void CgroupIsolation::WriteReport() {
  const auto has = [&](const char* controller) {
    return legacy_.Has(controller) || (unified_.has_value() && unified_->Has(controller));
  };
  report_.devices = devices_ != DeviceMechanism::kNone;
  report_.device_mechanism = devices_ == DeviceMechanism::kBpf      ? "cgroup v2 BPF"
                             : devices_ == DeviceMechanism::kLegacy ? "cgroup v1 devices"
                                                                    : "none";
  report_.memory = has("memory");
  report_.processes = has("pids");
  report_.cpus = has("cpuset");
  report_.kill_all = unified_.has_value() || legacy_.Has("freezer");
  const auto warn_unless = [&](bool given, const char* what) {
    if (!given) report_.warnings.push_back(what);
  };
  warn_unless(report_.devices, "devices: not isolated: no usable cgroup mechanism");
  warn_unless(report_.memory, "memory limit: not enforced: no cgroup controller 'memory'");
  warn_unless(report_.processes, "process limit: not enforced: no cgroup controller 'pids'");
  warn_unless(report_.cpus, "CPU sets: not enforced: no cgroup controller 'cpuset'");
  warn_unless(report_.kill_all, "end of a job: processes are killed one by one, without a cgroup");
}

Result<CgroupPaths> CgroupIsolation::Create(const std::string& key,
                                            const IsolationRequest& request) {
  if (!IsSafeName(key)) return Fail(InvalidArgument("attempt key '" + key + "' is no file name"));
  if (devices_required_ && devices_ == DeviceMechanism::kNone) {
    return Fail(
        Unsupported("this host cannot isolate devices (see 'doctor'), and without that a "
                    "job could open every GPU"));
  }
  CgroupPaths paths;
  const Status made = Make(key, request, paths);
  if (made.has_value()) return paths;
  IgnoreResult(Remove(key, paths), "what is left is removed at the next start");
  return Fail(made.error());
}

Status CgroupIsolation::Make(const std::string& key, const IsolationRequest& request,
                             CgroupPaths& paths) {
  if (unified_.has_value()) GP_CHECK_OK(unified_->Make(key, request, paths));
  GP_CHECK_OK(legacy_.Make(key, request, paths));
  if (devices_ == DeviceMechanism::kBpf) {
    GP_CHECK_OK(programs_.Attach(paths.unified, request.devices));
  }
  if (devices_ == DeviceMechanism::kLegacy) {
    GP_CHECK_OK(legacy_.MakeDevices(key, request.devices, paths));
  }
  if (!unified_.has_value()) {
    GP_CHECK_OK(legacy_.MakeFreezer(key, paths));
    IgnoreResult(legacy_.MakeCounter(key, paths), "only the usage is not counted");
  }
  return Ok();
}

Status CgroupIsolation::Remove(const std::string& key, const CgroupPaths& paths) {
  if (!IsSafeName(key)) return Fail(InvalidArgument("attempt key '" + key + "' is no file name"));
  if (paths == CgroupPaths{}) {
    for (const std::string& base : Bases()) GP_CHECK_OK(RemoveCgroup(base + "/" + key));
    return Ok();
  }
  if (!paths.unified.empty()) GP_CHECK_OK(RemoveCgroup(paths.unified));
  for (const std::string& path : paths.joined) GP_CHECK_OK(RemoveCgroup(path));
  return Ok();
}

Status CgroupIsolation::EndAll() {
  constexpr int kTries = 200;
  constexpr int kRetryMs = 10;
  for (int tries = 0;; ++tries) {
    Status removed = Ok();
    for (const std::string& base : Bases()) {
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(base, none)) {
        if (!entry.is_directory(none)) continue;
        KillAllIn(entry.path());
        if (const Status one = RemoveCgroup(entry.path()); !one) removed = one;
      }
    }
    if (removed || tries == kTries) return removed;
    poll(nullptr, 0, kRetryMs);  // killed processes take a moment to disappear
  }
}

void CgroupIsolation::RemoveAbandoned() const {
  for (const std::string& base : Bases()) {
    for (const std::string& root : AbandonedRootsIn(std::filesystem::path(base).parent_path()))
      RemoveAbandonedRoot(root);
  }
}

void CgroupIsolation::RemoveUnused() {
  if (unified_.has_value()) unified_->RemoveUnused();
  legacy_.RemoveUnused();
}

std::vector<std::string> CgroupIsolation::Bases() const {
  std::vector<std::string> bases;
  if (unified_.has_value()) bases.push_back(unified_->base());
  for (const auto& [controller, base] : legacy_.bases()) bases.push_back(base);
  return bases;
}

}  // namespace gp
