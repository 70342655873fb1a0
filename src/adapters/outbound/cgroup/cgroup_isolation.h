#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/outbound/cgroup/device_program.h"
#include "adapters/outbound/cgroup/hierarchy.h"
#include "adapters/outbound/cgroup/host_use.h"
#include "adapters/outbound/cgroup/legacy_tree.h"
#include "adapters/outbound/cgroup/unified_tree.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

// DeviceIsolation with the kernel's cgroups: version 2 where it offers what is needed, version 1
// for the rest, on the same host if necessary.  As root it enforces limits; as any other user it
// enforces nothing, and its report says so.
class CgroupIsolation final : public DeviceIsolation {
 public:
  enum class DeviceMechanism {
    kBest,    // BPF where the kernel has it, else version 1
    kBpf,     // version 2 only
    kLegacy,  // version 1 only
    kNone,    // limits without device rules
  };
  struct Options {
    std::string name = "gpu-platform";  // directory below this process's own cgroup
    DeviceMechanism devices = DeviceMechanism::kBest;
    bool use_unified = true;  // false: as on a host without version 2
    // An attempt without device rules could open every GPU.  An agent that is root must not run
    // such an attempt; one that is not root cannot isolate anyway.  Unset: required only for root.
    std::optional<bool> devices_required;
    std::optional<CgroupHierarchy> hierarchy;  // unset: this process's own
  };

  // Errors: kInternal (/proc unreadable).  A host without cgroups is not an error: see Report.
  static Result<std::unique_ptr<CgroupIsolation>> Open(const Options& options);

  Result<CgroupPaths> Create(const std::string& key, const IsolationRequest& request) override;
  Status Remove(const std::string& key, const CgroupPaths& paths) override;
  const IsolationReport& Report() const override { return report_; }
  HostUse UsedIn(const CgroupPaths& paths) const override { return ReadHostUse(paths); }

  // Kills every process in the cgroups of all attempts and removes the cgroups: for an agent that
  // has no memory of earlier attempts.  Errors: kConflict (a process cannot be killed).
  Status EndAll();
  // Every directory that holds cgroups of attempts.
  std::vector<std::string> Bases() const;
  // Removes what other agents beside this one left when they were killed: see AgentRoot.
  void RemoveAbandoned() const;
  // For an agent that shuts down: removes its directories that contain no attempt.  Nothing can be
  // created afterwards.
  void RemoveUnused();

 private:
  void Prepare(const Options& options, const CgroupHierarchy& hierarchy);
  void ChooseDevices(DeviceMechanism wanted);
  void WriteReport();
  Status Make(const std::string& key, const IsolationRequest& request, CgroupPaths& paths);

  std::optional<UnifiedTree> unified_;
  LegacyTree legacy_;
  DevicePrograms programs_;
  DeviceMechanism devices_ = DeviceMechanism::kNone;
  bool devices_required_ = false;
  IsolationReport report_;
};

}  // namespace gp
