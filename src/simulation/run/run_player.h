#pragma once

// Plays a run, recorded or invented, through the production engine: its nodes, jobs and wishes at
// their times, perhaps under another policy, with more nodes or fewer.  Each job runs for as long
// as the run says, starts at once where it is placed, and stops at once when it is told to.

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
  // Of every start of the controller; empty: as it was
  std::function<void(Policy&)> policy;
  std::vector<std::shared_ptr<const NodeFacts>> added;  // there from the first moment on
  std::set<std::string> removed;                        // names of nodes that never join
  // Of each interruption, on the job's GPUs
  Duration resume_cost = Duration::Seconds(60);
  Instant until = kNever;  // nothing is played beyond
  RunWatch watch;
};

struct PlayedRun {
  std::vector<JobLife> lives;
  Usage usage;
  Instant ends_at;
  int64_t refused = 0;  // submits and wishes that this cluster refuses
};

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
  int idle_looks_ = 0;  // since something happened
  HoldMeter usage_;     // beyond the last thing that happened, too
};

}  // namespace gp
