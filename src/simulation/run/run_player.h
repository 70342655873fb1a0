#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulation/engine/engine.h"
#include "simulation/run/run_figures.h"
#include "simulation/run/run_steps.h"
#include "simulation/run/watch.h"

namespace gp {

struct PlayOptions {
  // Changes the policy of each controller start; empty: unchanged.
  std::function<void(Policy&)> policy;
  std::vector<std::shared_ptr<const NodeFacts>> added;  // present from the beginning
  std::set<std::string> removed;                        // names of nodes that do not join
  // The cost of each preemption or fault, in time on the job's GPUs.
  Duration resume_cost = Duration::Seconds(60);
  Instant until = kNever;  // the end of the played time
  RunWatch watch;
};

struct PlayedRun {
  std::vector<JobLife> lives;
  Usage usage;
  Instant ends_at;
  int64_t refused = 0;  // submits and commands that this cluster refuses
};

// Plays a run, recorded or invented, through the production engine: its nodes, jobs and commands at
// their times, optionally with another policy or other nodes.  Each job runs for the length that
// the run gives, starts immediately when it is placed, and stops immediately when ordered.
class RunPlayer {
 public:
  // REQUIRES: both outlive it.
  RunPlayer(const RunSteps& steps, const PlayOptions& options);
  PlayedRun Play();

 private:
  struct Progress {
    size_t life = 0;
    Duration length;
    Duration left;
    Duration checkpoint_every;
    Instant started_at;
    bool runs = false;
  };

  Instant NextInstant();
  void AdvanceTo(Instant at);
  void NoteProgress();
  void AddNodes();
  void Do(const RunStep& step);
  void Join(const NodeArrival& node);
  void Submit(const JobArrival& job, Instant at);
  void Ask(Command command);
  bool Translate(Command& command) const;
  std::shared_ptr<const JobSpec> Translate(const std::shared_ptr<const JobSpec>& spec) const;
  void Execute(Command command);
  void Follow(const Event& event);
  void FinishDue();
  void Settle();
  void Start(JobId job);
  void Interrupt(JobId job);
  void Crash(NodeId node);
  void Halt(JobId job, Duration kept);
  void NoteEnd(JobId job);

  const RunSteps& steps_;
  const PlayOptions& options_;
  Engine engine_;
  PlayedRun played_;
  size_t next_step_ = 0;
  std::map<NodeId, NodeId> nodes_;  // from the run's
  std::map<JobId, JobId> jobs_;     // from the run's
  std::map<JobId, Progress> progress_;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
  int idle_looks_ = 0;  // since the last time that something happened
  HoldMeter usage_;     // also covers the time after that
};

}  // namespace gp
