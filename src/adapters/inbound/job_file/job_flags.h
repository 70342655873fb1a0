#pragma once

// A job from flags alone: gpu-platform run --gpus 2 -- python train.py.  Every flag stands for a
// field of the job file and is read by the same rules.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/model/job_spec.h"

namespace gp {

// As typed; an empty text is a flag that was not given.
struct JobFlags {
  std::string gpus = {};        // --gpus 2, --gpus H100:2
  std::string share = {};       // --share 0.5
  std::string gpu_memory = {};  // --gpu-memory 20GiB
  std::string gpu_memory_min = {};
  std::string isolation = {};
  std::string cpus = {};
  std::string memory = {};
  std::string shm = {};
  std::string nodes = {};
  std::string topology = {};  // --topology nvlink: required
  std::string name = {};
  std::string project = {};
  std::string queue = {};
  std::string priority = {};
  std::string max_duration = {};
  std::string retries = {};
  std::string grace = {};
  std::string checkpoint_dir = {};
  std::string on_lease_loss = {};
  std::string workdir = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // --env NAME=value
  std::vector<std::pair<std::string, std::string>> labels = {};       // --label NAME=value
  bool interactive = false;
  std::vector<std::string> command = {};  // what stands behind --
};

// kInvalidArgument names the flag: "--gpus: must be a whole number, …".
Result<JobSpec> JobFromFlags(const JobFlags& flags);

}  // namespace gp
