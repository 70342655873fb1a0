#pragma once

// Plays a recorded run once more through the production engine: the same nodes, jobs and wishes at the
// same times, under another policy, with more nodes or fewer.  Each job runs for as long as it did,
// starts at once where it is placed, and stops at once when it is told to.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulation/engine/engine.h"
#include "simulation/what_if/recorded_run.h"

namespace gp {

struct RunChanges {
  std::function<void(Policy&)> policy;                       // of every start of the controller; empty: as it was
  std::vector<std::shared_ptr<const NodeFacts>> added;       // there from the first moment on
  std::set<std::string> removed;                             // names of nodes that never join
  Duration resume_cost = Duration::Seconds(60);              // of each interruption, on the job's GPUs
};

struct PlayedRun {
  std::vector<JobLife> lives;
  Usage usage;
  int64_t refused = 0;  // submits and wishes that this cluster refuses
};

class RunPlayer {
 public:
  RunPlayer(const RecordedRun& run, const RunChanges& changes);
  PlayedRun Play();

 private:
  struct Progress {
    size_t life = 0;
    Duration length;
    Duration left;
    Instant started_at;
  };

  Instant NextInstant();
  void NoteProgress();
  void AddNodes();
  void Do(const RecordedStep& step);
  void Join(const RecordedNode& node);
  void Submit(const RecordedJob& job, Instant at);
  void Ask(Command command);
  bool Translate(Command& command) const;
  std::shared_ptr<const JobSpec> Translate(const std::shared_ptr<const JobSpec>& spec) const;
  void Execute(Command command);
  void FinishDue();
  void Settle();
  void Start(JobId job);
  void Interrupt(JobId job);
  void NoteEnd(JobId job);

  const RecordedRun& run_;
  const RunChanges& changes_;
  Engine engine_;
  PlayedRun played_;
  size_t next_step_ = 0;
  std::map<NodeId, NodeId> nodes_;  // from the record's
  std::map<JobId, JobId> jobs_;     // from the record's
  std::map<JobId, Progress> progress_;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
  int idle_looks_ = 0;  // since something happened
  Usage usage_;         // beyond the last thing that happened, too
};

}  // namespace gp
