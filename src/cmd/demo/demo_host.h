#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "cmd/agent/own_cgroups.h"
#include "cmd/demo/demo_client.h"

namespace gp {

// A platform of the demo's own: a temporary directory, and a `serve` below this process. Stop ends
// both; whatever happens, it leaves no process, control group or file behind.
class DemoHost {
 public:
  struct Options {
    std::string simulate;  // "dgx-h100:2"; empty: this machine's own GPUs
    std::string nvml;      // library to load instead of the host's
    std::string examples;  // directory of the job files and their programs
    std::string min_run;   // as serve takes it; empty: the policy's
  };

  // Makes the directories and starts `serve`. AwaitNodes waits until it is ready.
  static Result<std::unique_ptr<DemoHost>> Start(const Options& options);
  ~DemoHost() { Stop(); }

  // Waits until all nodes have joined; returns the cluster. Errors contain the end of what `serve`
  // printed.
  Result<v1::Cluster> AwaitNodes(int nodes);
  // Adds a line to the control file of a simulated node's driver (docs/how-to/fake_driver.md).
  Status Break(const std::string& node, const std::string& fault);
  // Ends everything; returns what could not be ended, in words. It may be called again.
  std::vector<std::string> Stop();

  DemoClient& client() { return client_; }
  // Copies that the jobs' user can read, and a directory where that user may write.
  std::string examples() const { return directory_ + "/examples"; }
  std::string checkpoints() const { return directory_ + "/checkpoints"; }
  // Device nodes of each simulated node.
  std::vector<std::string> DeviceDirectories(int nodes) const;

 private:
  explicit DemoHost(std::string directory)
      : directory_(std::move(directory)), client_(directory_ + "/run"), cgroups_(AgentNames()) {}
  std::vector<std::string> AgentNames() const;
  Status MakeFiles(const std::string& examples);
  Status SpawnServe(const Options& options);
  void EndJobs();
  void EndServe();
  std::string ServeSaid() const;

  std::string directory_;
  DemoClient client_;
  AgentCgroups cgroups_;
  pid_t serve_ = 0;
  bool stopped_ = false;
};

}  // namespace gp
