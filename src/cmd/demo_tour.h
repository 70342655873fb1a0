#pragma once

// The tour: priorities, faults, scaling, monitoring and a job to watch, on simulated nodes.  Every
// chapter says what must come of it, and looks whether it did.

#include <memory>
#include <string>
#include <vector>

#include "cmd/demo_host.h"
#include "cmd/demo_story.h"

namespace gp {

class DemoTour {
 public:
  struct Options {
    std::string examples;  // directory of the job files and their programs
    std::string nvml;      // library to play the GPUs; empty: our own
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

  // A job that counts, saves what it has counted, and goes on from there.
  Result<std::string> SubmitCounter(const std::string& name, int nodes, int gpus, int priority,
                                    int steps);
  // So many jobs of one GPU and half a second; how long all of them take, in milliseconds.
  Result<double> RunSweep(int jobs);
  // Looks until it is so; kUnavailable: it was not in a minute.
  template <typename Look>
  Status Await(const std::string& what, Look look);
  template <typename IsSo>
  Result<v1::Job> AwaitJob(const std::string& id, const std::string& what, IsSo is_so);
  Result<v1::Job> AwaitEnd(const std::string& id);
  Status AwaitGpus(const std::string& node, bool in_service);
  Status Serve(const std::string& node, v1::ChangeServiceRequest::Action action,
               const std::string& reason);
  Result<int> GpusWithState(v1::GpuState state);
  // Told with the results where it is not so.
  void Check(bool is_so, const std::string& what);

  const Options options_;
  const DemoStory story_;
  std::unique_ptr<DemoHost> host_;
  std::vector<std::string> problems_;
};

}  // namespace gp
