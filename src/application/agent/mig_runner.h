#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "application/agent/pending_starts.h"
#include "ports/outbound/mig_instances.h"

namespace gp {

// Wraps an AttemptRunner and gives attempts their MIG instances.  An attempt starts once its
// instance exists, and sees only that part of its GPU; the instance is removed after it.  Attempts
// without an instance pass through.  One thread (the agent's) calls it.
class MigRunner : public AttemptRunner {
 public:
  // `divided`: positions of the GPUs in MIG mode; all their instances belong to this runner.
  // `instances` and `runner` outlive it.
  MigRunner(const std::vector<int>& divided, MigInstances& instances, AttemptRunner& runner);
  ~MigRunner() override;

  Status Start(const LaunchSpec& spec) override;
  void Renew(const std::string& key, int64_t lease_deadline_boot_ns) override;
  void Stop(const std::string& key, Duration grace) override;
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override {
    runner_.Discard(key, directory, paths);
  }
  std::vector<AttemptStatus> Observe() override;
  HostUse Used(const std::string& key) override { return runner_.Used(key); }
  Status Forget(const std::string& key) override;
  bool IsEmpty() override { return pending_.IsEmpty() && runner_.IsEmpty(); }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec& spec) override;
  int EventDescriptor() const override { return events_fd_; }

  // The attempt that has this instance of a GPU; empty: none.
  std::string AttemptIn(int gpu, int gpu_instance) const;

 private:
  void StartWaiting();
  void StartIn(const LaunchSpec& spec, const MigDevice& device);
  void FollowInstances(const std::vector<AttemptStatus>& statuses);
  bool IsInUse(const MigPart& part) const;

  MigInstances& instances_;
  AttemptRunner& runner_;
  PendingStarts pending_;
  std::map<std::string, MigPart> used_;  // by attempts that have not ended
  std::set<std::string> removed_;        // attempts whose instance was released
  int events_fd_;
};

}  // namespace gp
