#pragma once

// The device rules of cgroup version 2: a BPF program that the kernel runs at every open and mknod
// of a device node inside a cgroup.  The program is a chain of comparisons, emitted instruction by
// instruction, so that only the kernel is needed to build and load it.  An attached program stays
// with its cgroup when this process ends.

#include <linux/bpf.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// In an allow list: every minor number of this major number.
inline constexpr int kAnyMinor = -1;

// Null, zero, full, random, urandom, tty, ptmx and the pseudo-terminals.
std::span<const DeviceNumber> StandardDevices();

// Allows reading and writing the listed character devices and the standard ones; refuses the rest:
// other devices, all block devices, every mknod.
std::vector<bpf_insn> EmitDeviceProgram(std::span<const DeviceNumber> allowed);

// Loaded programs by their set of devices: loading costs milliseconds, attaching microseconds.
class DevicePrograms {
 public:
  DevicePrograms() = default;
  ~DevicePrograms();
  DevicePrograms(const DevicePrograms&) = delete;
  DevicePrograms& operator=(const DevicePrograms&) = delete;

  // kPermissionDenied without CAP_BPF and CAP_NET_ADMIN; kUnsupported where the kernel lacks it.
  Status Attach(const std::string& cgroup, std::vector<DeviceNumber> devices);
  // Loads the program for no devices but the standard ones: a probe.
  Status Probe();

 private:
  Result<int> Load(std::vector<DeviceNumber> devices);
  std::map<std::vector<DeviceNumber>, int> loaded_;
};

}  // namespace gp
