#pragma once

// DeviceIsolation with the kernel's cgroups: version 2 where it offers what is needed, version 1
// for the rest, on the same host if need be.  Run as root it enforces; run as anybody else it
// enforces nothing and says so in its report.

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

class CgroupIsolation final : public DeviceIsolation {
 public:
  enum class DeviceMechanism {
    kBest,    // BPF where the kernel has it, else version 1
    kBpf,     // version 2 only
    kLegacy,  // version 1 only
    kNone,    // limits without device rules
  };
  struct Options {
    std::string name = "gpu-platform";  // of the directory below our own cgroup
    DeviceMechanism devices = DeviceMechanism::kBest;
    bool use_unified = true;  // false: as on a host without version 2
    // An attempt without device rules could open every GPU.  Root must not run such; for an agent
    // that is not root isolation is impossible anyway.  Unset: required exactly for root.
    std::optional<bool> devices_required;
    std::optional<CgroupHierarchy> hierarchy;  // unset: this process's own
  };

  // Errors: kInternal (/proc unreadable).  A host without cgroups is no error: see Report.
  static Result<std::unique_ptr<CgroupIsolation>> Open(const Options& options);

  Result<CgroupPaths> Create(const std::string& key, const IsolationRequest& request) override;
  Status Remove(const std::string& key, const CgroupPaths& paths) override;
  const IsolationReport& Report() const override { return report_; }
  HostUse UsedIn(const CgroupPaths& paths) const override { return ReadHostUse(paths); }

  // Ends every process in every attempt's cgroup and removes them: for an agent that remembers
  // nothing of what ran before.  Errors: kConflict (a process cannot be killed).
  Status EndAll();
  // Every directory that holds cgroups of attempts.
  std::vector<std::string> Bases() const;
  // Removes what other agents beside this one left when they were killed: see AgentRoot.
  void RemoveAbandoned() const;
  // For an agent that ends: its directories go where no attempt is left in them.  Nothing can be
  // created after it.
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
