#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cmd/demo/demo_host.h"
#include "cmd/demo/demo_story.h"

namespace gp {

// The tour: priorities, faults, scaling, monitoring and a job to watch, on simulated nodes. Every
// chapter states its expected result and checks it.
class DemoTour {
 public:
  struct Options {
    std::string examples;  // directory of the job files and their programs
    std::string nvml;      // library that simulates the GPUs; empty: our own
  };

  explicit DemoTour(Options options) : options_(std::move(options)) {}
  // The exit code.
  int Run();

 private:
  Status Tell();
  Status Begin();
  Status ShowPriorities();
  Status ShowFaults();
  Status ShowScaling();
  Status ShowMonitoring();
  Status ShowLiveJob();
  int Conclude(const Status& outcome);

  // Submits a job that counts, saves its count in checkpoints, and resumes from there.
  Result<std::string> SubmitCounter(const std::string& name, int nodes, int gpus, int priority,
                                    int steps);
  // Runs `jobs` jobs of one GPU and half a second each; returns the milliseconds until all have
  // ended.
  Result<double> RunSweep(int jobs);
  // Polls until `look` is true; kUnavailable: it was not within a minute.
  template <typename Look>
  Status Await(const std::string& what, Look look);
  template <typename IsSo>
  Result<v1::Job> AwaitJob(const std::string& id, const std::string& what, IsSo is_so);
  Result<v1::Job> AwaitEnd(const std::string& id);
  Status AwaitGpus(const std::string& node, bool in_service);
  Status Serve(const std::string& node, v1::ChangeServiceRequest::Action action,
               const std::string& reason);
  Result<int> GpusWithState(v1::GpuState state);
  // Reports `what` with the results if `is_so` is false.
  void Check(bool is_so, const std::string& what);

  const Options options_;
  const DemoStory story_;
  std::unique_ptr<DemoHost> host_;
  std::vector<std::string> problems_;
};

}  // namespace gp
