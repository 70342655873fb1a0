#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "application/agent/wrapping_runner.h"
#include "ports/outbound/mig_instances.h"

namespace gp {

// Wraps an AttemptRunner and gives attempts their MIG instances.  An attempt starts once its
// instance exists, and sees only that part of its GPU; the instance is removed after it.  Attempts
// without an instance pass through.  One thread (the agent's) calls it.
class MigRunner : public WrappingRunner {
 public:
  // `divided`: positions of the GPUs in MIG mode; all their instances belong to this runner.
  // `instances` and `runner` outlive it.
  MigRunner(const std::vector<int>& divided, MigInstances& instances, AttemptRunner& runner);

  Status Start(const LaunchSpec& spec) override;
  void Stop(const std::string& key, Duration grace) override;
  std::vector<AttemptStatus> Observe() override;
  Status Forget(const std::string& key) override;

  // The attempt that has this instance of a GPU; empty: none.
  std::string AttemptIn(int gpu, int gpu_instance) const;

 private:
  void StartWaiting();
  void StartIn(const LaunchSpec& spec, const MigDevice& device);
  void FollowInstances(const std::vector<AttemptStatus>& statuses);
  bool IsInUse(const MigPart& part) const;

  MigInstances& instances_;
  std::map<std::string, MigPart> used_;  // by attempts that have not ended
  std::set<std::string> removed_;        // attempts whose instance was released
};

}  // namespace gp
