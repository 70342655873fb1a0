#pragma once

// Makes the LaunchSpec of one rank from its desired lease: devices, cores, limits, user and
// environment.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/node/desired_state.h"
#include "ports/outbound/attempt_runner.h"
#include "ports/outbound/image_store.h"

namespace gp {

// A user as this host knows it.
struct HostUser {
  std::string name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  std::string home;
  std::string shell;
};

// Properties of the node that each launch depends on.
struct LaunchOptions {
  std::string state_directory;               // logs/<job>/<attempt>/<rank>.out below it
  int gpu_major = 195;                       // of /dev/nvidia<minor>
  std::vector<DeviceNumber> shared_devices;  // nvidiactl, uvm …: for every job with a GPU
  std::string device_directory = "/dev";     // of the device nodes; another one on simulated nodes
  std::vector<DeviceNumber> graphics_devices;  // of a driver that draws, besides a GPU's own
  std::vector<uint32_t> graphics_groups;       // who draws is in them, to open those files
  // That draws on this GPU; nullopt: it has none.  Empty: no GPU has one.
  std::function<std::optional<DeviceNumber>(const GpuFacts&)> render_node;
  // "compute" and "graphics" in it list files of the driver for images; empty: there are none
  std::string driver_directory;
  CpuSet host_cpus;  // simulated nodes: their cores are mapped onto these
  int64_t processes_max = 32'768;
  int64_t log_bytes_max = int64_t{1} << 30;
  bool private_processes = true;            // false: jobs share the host's processes and IPC
  std::vector<std::string> mount_prefixes;  // that jobs' `mounts` are in; empty: any directory
  std::string rsh_directory;                // of gpu-platform-rsh, which every user may execute
  std::string prolog;
  std::string epilog;
  // The account of this host that a job of this user runs as.
  std::function<HostUser(const User&)> resolve_user;
};

// What neither a job nor its image sets.
inline constexpr const char* kDefaultEnvironment[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};

// Directory of the report pipes of running jobs, below the state directory
inline constexpr const char* kReportDirectory = "reports";

// The program with which ranks start programs in other ranks of their job, in its directory.
inline constexpr const char* kRshName = "gpu-platform-rsh";
// Where a job in an image finds the directory: its /tmp is its own on every host.
inline constexpr const char* kRshDirectoryInImage = "/tmp/.gpu-platform";

// The first of the ports that the attempt was started with; 0: none.
int FirstPortOf(const LaunchSpec& launch);

std::string LogDirectory(const LaunchOptions& options, JobId job, int attempt);

LaunchSpec MakeLaunch(const DesiredLease& desired, const NodeFacts& facts,
                      const LaunchOptions& options, int64_t lease_deadline_boot_ns);

// What of the lease's attempts is copied; nullopt: nothing.
std::optional<CopyOrders> CopyOrdersOf(const DesiredLease& desired);

// Shows the attempt its data.  `paths`: of launch.sources on this host, in order.
void CompleteLaunch(const std::vector<std::string>& paths, LaunchSpec& launch);
// Adds what an image brings that had to be unpacked first: layers, environment, working directory.
void CompleteLaunch(const UnpackedImage& image, LaunchSpec& launch);

}  // namespace gp
