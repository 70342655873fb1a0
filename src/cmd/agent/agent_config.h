#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

// Between the GPUs that one text of AgentConfig::mig names.
inline constexpr char kMigSeparator = ';';

// Settings of a node.
struct AgentConfig {
  std::string profile;  // empty: none
  // Where controllers may be: "unix:/…/control.sock" or "host:port"
  std::vector<std::string> controllers;
  std::string join_token_file;  // empty: the controller's, if it is on this machine
  std::string join_token;
  // Authority of the controller: "sha256:…" or a file; empty: it is on this machine
  std::string authority;
  std::string state_directory;
  std::string name;      // empty: the host's name
  std::string simulate;  // machine name or file; empty: this machine
  int node_index = 0;    // of simulated nodes on one host: disjoint device minors
  std::string nvml;      // library to load; empty: the host's
  // Of the driver's libraries for images; empty: those that are found, of a simulated node none
  std::string driver_directory;
  std::string service_user = "gpu-job";  // runs jobs that root submits
  bool allow_root = false;
  std::string prolog;
  std::string epilog;
  std::string reset_command = "nvidia-smi";  // called as: COMMAND --gpu-reset -i BUS-ID
  std::string kernel_log;  // empty: /dev/kmsg, of a simulated node none; "none": none
  // For tests: also accept log lines that the kernel did not write
  bool trust_user_log = false;
  // GPUs to put into MIG mode, as "0-1" and "2=3g.40gb,4g.40gb"; empty: as they are
  std::vector<std::string> mig;
  // Empty: nvidia-cuda-mps-control in PATH, on a simulated node the simulated one; "none": no MPS
  std::string mps_control;
  std::vector<std::string> mount_prefixes;
  int64_t data_gib = 500;                   // most that fetched data of jobs takes
  std::vector<std::string> data_addresses;  // networks that transfers reach, though inner ones
  int64_t image_store_gib = 200;            // most that unpacked layers of images take
  bool host_processes = false;              // jobs share the host's processes and IPC
  int64_t gpu_memory_tolerance_mib = 512;   // that a job may use of a shared GPU beyond its grant
  int gpu_memory_readings = 3;              // this many in a row beyond that stop the job
  // How long output of ended jobs is kept; 0: forever
  Duration keep_logs = Duration::Minutes(60 * 24 * 90);
  std::string gpu_test;  // additional test of the site, called with the GPU's UUID
};

}  // namespace gp
