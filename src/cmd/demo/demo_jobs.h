#pragma once

// The four jobs of the demo, from the job files of examples/, and the expected outcome of each.

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/model/jobs/job_spec.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

enum class DemoRole {
  kTraining,   // one GPU, writes checkpoints
  kNodeGang,   // several GPUs of one node
  kProbe,      // tries to open every GPU
  kWholeGang,  // every GPU of one or two nodes: has to wait for all the others
};

struct DemoJob {
  DemoRole role;
  JobSpec spec;
  std::string id;
  v1::Job seen;             // as last fetched
  std::string output;       // of rank 0
  std::string wait_reason;  // first reason given for waiting; empty: none was
  double acknowledged_ms = 0;
};

struct DemoPlaces {
  std::string examples;
  std::string checkpoints;
  std::vector<std::string> device_directories;  // simulated nodes
  bool devices_isolated = true;
};

// Reduced to the GPUs that the cluster has.
Result<std::vector<DemoJob>> LoadDemoJobs(const DemoPlaces& places, const v1::Cluster& cluster);

// What went wrong, one sentence each; empty: all checks passed.
std::vector<std::string> JudgeDemo(const std::vector<DemoJob>& jobs, const DemoPlaces& places,
                                   const v1::Cluster& cluster);

// Devices that the probe could open, and those it could not, as "nvidia3".
struct ProbedDevices {
  std::vector<std::string> reached;
  std::vector<std::string> refused;
};
ProbedDevices ReadProbe(const std::string& output);
// The job's own, in the same form.
std::vector<std::string> GrantedDevices(const DemoJob& job, const v1::Cluster& cluster);

}  // namespace gp
