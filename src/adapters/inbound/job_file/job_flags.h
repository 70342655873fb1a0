#pragma once

// A job from flags alone: gpu-platform run --gpus 2 -- python train.py.  Every flag sets a
// field of the job file and is read by the same rules.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

// The values of the flags, as typed.
struct JobFlags {
  std::optional<std::string> gpus = {};        // --gpus 2, --gpus H100:2
  std::optional<std::string> share = {};       // --share 0.5
  std::optional<std::string> gpu_memory = {};  // --gpu-memory 20GiB
  std::optional<std::string> gpu_memory_min = {};
  std::optional<std::string> isolation = {};
  std::optional<std::string> mig = {};  // --mig 3g.40gb
  std::optional<std::string> cpus = {};
  std::optional<std::string> memory = {};
  std::optional<std::string> shm = {};
  std::optional<std::string> nodes = {};
  std::optional<std::string> nodes_min = {};
  std::optional<std::string> topology = {};          // --topology nvlink: required
  std::optional<std::string> allow_cross_numa = {};  // true, false
  std::optional<std::string> name = {};
  std::optional<std::string> project = {};
  std::optional<std::string> queue = {};
  std::optional<std::string> reservation = {};
  std::optional<std::string> array = {};  // --array 100, --array 100%10
  std::optional<std::string> after = {};  // several, separated by commas
  std::optional<std::string> priority = {};
  std::optional<std::string> time_limit = {};
  std::optional<std::string> retries = {};
  std::optional<std::string> grace = {};
  std::optional<std::string> checkpoint_dir = {};
  std::optional<std::string> on_lease_loss = {};
  std::optional<std::string> workdir = {};
  std::optional<std::string> secrets = {};  // names, separated by commas
  std::optional<std::string> notify = {};   // receivers, separated by commas
  std::vector<std::pair<std::string, std::string>> environment = {};  // --env NAME=value
  std::vector<std::pair<std::string, std::string>> labels = {};       // --label NAME=value
  std::vector<std::pair<std::string, std::string>> node_labels = {};  // --node-label NAME=value
  bool interactive = false;
  bool preemptible = false;
  bool movable = false;
  bool wait_for_nodes = false;
  std::vector<std::string> command = {};  // what follows --
};

// kInvalidArgument names the flag: "--gpus: must be a whole number, …".
Result<JobSpec> JobFromFlags(const JobFlags& flags);

}  // namespace gp
