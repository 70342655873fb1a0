#pragma once

// A node with two sockets and a GPU on each, and a job that has both.

#include <string>

#include "application/agent/launch/launch.h"
#include "application/agent/node_facts.h"

namespace gp {

inline HostFacts TwoSockets() {
  HostFacts host;
  host.hostname = "h";
  for (const int id : {0, 8}) {  // not contiguous, as on POWER
    NumaNode numa;
    numa.id = id;
    numa.package = id / 8;
    numa.cpus.AddRange(id * 4, id * 4 + 3);
    numa.memory_mib = 1'000;
    host.numa_nodes.push_back(numa);
  }
  host.gpus = {{"0000:1b:00.0", 8, "", ""}, {"0000:2b:00.0", 0, "", ""}};
  return host;
}

inline DriverInventory TwoGpus() {
  DriverInventory inventory;
  inventory.driver_version = "550.1";
  for (int i = 0; i < 2; ++i) {
    GpuIdentity gpu;
    gpu.index = i;
    gpu.minor = 5 - i;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.name = "NVIDIA X";
    gpu.pci_bus_id = i == 0 ? "00000000:1B:00.0" : "00000000:2B:00.0";
    gpu.memory_total_mib = 1'000;
    gpu.memory_reserved_mib = 10;
    inventory.gpus.push_back(gpu);
  }
  inventory.links = {{0, 1, 4, false}};
  return inventory;
}

inline DesiredLease Desired(const JobSpec& spec) {
  DesiredLease desired;
  desired.lease.id = {3};
  desired.lease.job = {7};
  desired.lease.attempt = 2;
  desired.lease.rank = 1;
  desired.lease.gpus = {{1, kWholeShare, 990}};
  NumaGrant numa;
  numa.numa = 0;
  numa.cpus.AddRange(0, 1);
  numa.memory_mib = 100;
  desired.lease.numa = {numa};
  desired.spec = std::make_shared<const JobSpec>(spec);
  desired.user = {"ana", 1000, 1000};
  desired.node_names = {"n0", "n1"};
  desired.master_address = "n0";
  return desired;
}

inline LaunchOptions Options() {
  LaunchOptions options;
  options.state_directory = "/s";
  options.shared_devices = {{195, 255}, {510, 0}};
  options.resolve_user = [](const User& user) {
    return HostUser{user.name, user.uid, user.gid, {4}, "/home/ana", "/bin/sh"};
  };
  return options;
}

inline std::string Variable(const LaunchSpec& launch, const std::string& name) {
  for (const std::string& entry : launch.environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "(none)";
}

inline JobSpec Spec() {
  JobSpec spec;
  spec.program.command = {"train", "x"};
  spec.resources.nodes = 2;
  return spec;
}

}  // namespace gp
