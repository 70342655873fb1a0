#pragma once

// A node of 8 GPUs with jobs on it, and its agent's words about them.

#include <string>

#include "tests/support/test_cluster.h"

namespace gp {

// What a fault has made of a job.
enum class Fate {
  kUntouched,  // nothing is written beside it
  kNoted,      // its own end is its own
  kForgiven,   // it runs on; an end that follows within a minute is not charged to it
  kRestarted,  // it is ended, and starts again free of charge
};
const char* Name(Fate fate);

class OneNode {
 public:
  explicit OneNode(const MigTable& mig = {});  // of its GPUs

  // A job that runs; of share 500 it shares a GPU with others of the same user.
  JobId Run(int gpus, int share = kWholeShare, const std::string& user = "ana",
            Isolation isolation = Isolation::kTimeslice);
  JobId RunInInstance(const std::string& user);
  // One that waits, or was placed.
  JobId Submit(int gpus);
  // The GPU of a job: its first.
  int GpuOf(JobId job) const;

  FaultSignal Xid(int gpu, int xid, JobId named = {}) const;
  void Report(FaultSignal signal);
  // What its agent reads of a GPU.
  void Read(int gpu, const GpuVitals& vitals);
  void Exit(JobId job, int code);
  void End(JobId job, const LeaseOutcome& outcome);
  void Advance(Duration by) { cluster_.Advance(by); }
  void Tick();

  // Ends the job as its node would, to see what that makes of it.  `after`: that time after the
  // fault.
  Fate EndAndJudge(JobId job, Duration after = Duration::Seconds(30));

  const State& state() const { return cluster_.state(); }
  const Gpu& gpu(int index) const { return state().nodes.all[0].gpus[static_cast<size_t>(index)]; }
  GpuTrouble trouble(int index) const;
  // Of the GPU; an incident without id where there is none.
  Incident incident(int index) const;
  const TestCluster& cluster() const { return cluster_; }

 private:
  void Tell(const Command& command);

  TestCluster cluster_;
  uint64_t signals_ = 0;
};

}  // namespace gp
