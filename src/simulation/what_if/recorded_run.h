#pragma once

// What came from outside in a recorded run: nodes, jobs with the time they took, what people asked for.
// How the scheduler answered is left out: that is what another run may do otherwise.

#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "domain/cluster/codec.h"
#include "simulation/what_if/run_figures.h"

namespace gp {

struct RecordedNode {
  NodeId id;  // in the record
  std::shared_ptr<const NodeFacts> facts;
};

struct RecordedJob {
  JobId id;  // in the record
  std::shared_ptr<const JobSpec> spec;
  User user;
  // On its GPUs: of all attempts where it keeps its work, else of the last one.  Nothing: it never ran.
  Duration length;
};

struct RecordedStep {
  Instant at;
  std::variant<RecordedNode, RecordedJob, Command> what;
};

struct RecordedRun {
  std::vector<RecordedStep> steps;  // in order
  std::vector<JobLife> lives;       // as they were
  Usage usage;
  Instant ends_at;
  int64_t unfinished = 0;  // jobs that still ran or waited: as long as they had run by then
  int64_t faults = 0;      // lost nodes and attempts, which no replay repeats
};

// Folds the records of a journal, from the first one on.
class RunRecorder {
 public:
  void Add(const Record& record);
  RecordedRun Take();

 private:
  void AddStep(const Record& record);
  void NoteEvent(Instant at, const Event& event);
  void Measure(const Job& job, Instant now);

  State state_;
  RecordedRun run_;
  std::map<JobId, size_t> steps_;  // of the jobs
  std::map<JobId, size_t> lives_;
};

}  // namespace gp
